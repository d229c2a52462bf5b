import type { Finding, Snapshot } from '../../bridge/index.js';
import { systemClock } from '../../base/clock.js';
import { toPac } from '../../base/proxy/proxy-server.js';
import { keepCertificateChecks } from '../certificate-checks.js';
import { readConfig } from '../config.js';
import { connectControl, HostUnreachableError } from '../control-client.js';
import { examine, probeSecrets } from '../doctor/index.js';
import { effectiveConfig } from '../effective-config.js';
import type { SystemProxies } from '../environment-proxies.js';
import { takePassphrase } from '../passphrase.js';
import { readSettings } from '../settings.js';
import { WaysOut } from '../ways-out.js';
import { readArgs } from './args.js';
import { COMMANDS } from './command-specs.js';
import { ExitCode, print, type CliIo } from './io.js';
import { placesOf } from './running-host.js';
import { systemProxies } from './serve.js';

const SIGNS = { ok: 'ok    ', warn: 'warn  ', broken: 'BROKEN' } as const;

/** `doctor [--json]`: one line per check with what to do; exit 1 when something is broken. */
export async function doctorCommand(given: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags } = readArgs(given, COMMANDS.doctor);
  const { dataDir, configFile } = placesOf(flags);
  const settings = readSettings(dataDir);
  const effective = effectiveConfig(readConfig(configFile), settings.settings);
  const passphrase = takePassphrase(io.env);
  keepCertificateChecks(io.env);
  const proxies = systemProxies(io.env);
  const running = await runningHost(dataDir);
  const findings = await examine({
    dataDir,
    effective,
    settings,
    running,
    secrets: async () => running?.secrets ?? probeSecrets(effective.config, dataDir, passphrase),
    waysOut: new WaysOut({
      config: effective.config,
      clock: systemClock,
      system: (name) => asRunning(running, name, proxies?.credentials ?? new Map()) ?? proxies,
    }),
    now: Date.now(),
  });
  const healthy = findings.every(({ status }) => status !== 'broken');
  if (flags.json === true) print(io, JSON.stringify({ ok: healthy, checks: findings }, null, 2));
  else for (const finding of findings) print(io, asLine(finding));
  return healthy ? ExitCode.done : ExitCode.failed;
}

function asLine({ check, status, detail, todo }: Finding): string {
  return `${SIGNS[status]} ${check}: ${detail}${todo === '' ? '' : ` → ${todo}`}`;
}

/** Which way the running host goes, which may know another system than this terminal's variables. */
function asRunning(
  running: Snapshot | undefined,
  network: string,
  credentials: SystemProxies['credentials'],
): SystemProxies | undefined {
  const way = running?.connectors.find(({ name }) => name === network)?.way;
  return way && { find: async () => toPac(way.proxy), credentials };
}

async function runningHost(dataDir: string): Promise<Snapshot | undefined> {
  try {
    const host = await connectControl(dataDir);
    try {
      // What it was told long ago is no finding: a keychain may have been locked since.
      await host.call('check-secrets');
      return await host.call('snapshot');
    } finally {
      host.close();
    }
  } catch (error) {
    if (error instanceof HostUnreachableError) return undefined;
    throw error;
  }
}
