import type { Finding, Snapshot } from '../../bridge/index.js';
import type { EffectiveConfig, Source } from '../effective-config.js';
import { portProblem } from '../free-port.js';
import { findPortHolder, type PortHolder } from '../port-holder.js';
import type { FoundSettings } from '../settings.js';
import { finding } from './finding.js';

/** Where a value stands, as people know these places. */
const SOURCES: Readonly<Record<Source, string>> = {
  flag: '--port',
  settings: 'settings.json',
  config: 'config.json',
  default: 'default',
};

/** @param running the host that runs on this data directory, which then holds the port itself */
export async function checkPort(effective: EffectiveConfig, running: Snapshot | undefined): Promise<Finding> {
  const { host, port } = effective.config.server;
  const source = SOURCES[effective.sources.port];
  if (running?.server.state === 'listening') return finding('port', 'ok', 'port_listening', { url: running.url });
  if (running?.server.state === 'port_taken') return taken(running.server.port, source, running.server.holder);
  if (port === 0) return finding('port', 'ok', 'port_any');
  const reason = await portProblem(host, port);
  if (reason === undefined) return finding('port', 'ok', 'port_free', { host, port, source });
  if (reason === 'EADDRINUSE') return taken(port, source, await findPortHolder(port));
  return finding('port', 'broken', 'port_unusable', { host, port, source, reason });
}

function taken(port: number, source: string, holder: PortHolder | undefined): Finding {
  if (holder === undefined) return finding('port', 'broken', 'port_in_use', { port, source });
  return finding('port', 'broken', 'port_in_use_by', { port, source, name: holder.name, pid: holder.pid });
}

const SETTING_KEYS = {
  port: 'server.port',
  allowedHosts: 'server.allowedHosts',
  secretStore: 'secrets.store',
} as const;

/** What the settings of the window change, where there are any. */
export function checkSettings({ settings, damaged }: FoundSettings): Finding[] {
  if (damaged !== undefined) return [finding('settings', 'warn', 'settings_damaged', { reason: damaged })];
  const keys = Object.entries(SETTING_KEYS).flatMap(([name, key]) => (name in settings ? [key] : []));
  return keys.length === 0 ? [] : [finding('settings', 'ok', 'settings_used', { keys: keys.join(', ') })];
}
