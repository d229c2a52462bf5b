import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Snapshot } from '../../bridge/index.js';
import { loadConfig } from '../config.js';
import { DATABASE_FILE } from '../../store/index.js';
import { connectControl, HostUnreachableError } from '../control-client.js';
import {
  checkAgentServer,
  checkBindings,
  checkClock,
  checkDataDir,
  checkNetworks,
  checkPort,
  checkSecrets,
  type Finding,
} from '../doctor-checks.js';
import { PLACE_FLAGS, readArgs } from './args.js';
import { ExitCode, print, type CliIo } from './io.js';
import { placesOf } from './running-host.js';
import { takePassphrase } from './serve.js';

const SIGNS = { ok: 'ok    ', warn: 'warn  ', broken: 'BROKEN' } as const;

/** `doctor [--json]`: one line per check with what to do; exit 1 when something is broken. */
export async function doctorCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags } = readArgs(args, { ...PLACE_FLAGS, json: 'boolean' });
  const { dataDir, configFile } = placesOf(flags);
  const config = loadConfig(configFile);
  const passphrase = takePassphrase(io.env);
  const running = await runningHost(dataDir);
  const [port, secrets, networks, agentServer] = await Promise.all([
    checkPort(config, running),
    checkSecrets(config, dataDir, passphrase, running),
    checkNetworks(config, signedInAt(dataDir, running)),
    checkAgentServer(config, running),
  ]);
  const findings: readonly Finding[] = [
    checkDataDir(dataDir),
    port,
    secrets,
    checkClock(Date.now(), networks.times),
    ...networks.findings,
    ...agentServer,
    ...checkBindings(running),
  ];
  const healthy = findings.every(({ status }) => status !== 'broken');
  if (flags.json === true) print(io, JSON.stringify({ ok: healthy, checks: findings }, null, 2));
  else for (const finding of findings) print(io, asLine(finding));
  return healthy ? ExitCode.done : ExitCode.failed;
}

/** Whether an account of a network is signed in; as long as that can't be said, it may be. */
function signedInAt(dataDir: string, running: Snapshot | undefined): (name: string) => boolean {
  if (running === undefined) {
    const isUsed = existsSync(join(dataDir, DATABASE_FILE));
    return () => isUsed;
  }
  const used = running.connectors.filter(({ accounts }) => accounts.length > 0).map(({ name }) => name);
  return (name) => used.includes(name);
}

function asLine({ check, status, detail, todo }: Finding): string {
  return `${SIGNS[status]} ${check}: ${detail}${todo === '' ? '' : ` → ${todo}`}`;
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
