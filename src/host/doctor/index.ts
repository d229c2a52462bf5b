import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding, SecretsSnapshot, Snapshot } from '../../bridge/index.js';
import { DATABASE_FILE } from '../../store/index.js';
import type { EffectiveConfig } from '../effective-config.js';
import type { FoundSettings } from '../settings.js';
import type { WaysOut } from '../ways-out.js';
import { checkAccounts } from './accounts.js';
import { checkClock } from './clock.js';
import { checkDataDir } from './data-dir.js';
import { checkAgentServer, checkNetworks } from './networks.js';
import { checkPort, checkSettings } from './port.js';
import { checkSecrets } from './secrets.js';

/**
 * Looks at everything a host needs, and says of each what is wrong and what to do: for the command line, and for a window of a
 * running host. Everything that may take time is asked at once and has a deadline.
 */
export { probeSecrets } from './secrets.js';
export { FINDING_WORDS } from './words.js';

export interface Examined {
  readonly dataDir: string;
  readonly effective: EffectiveConfig;
  readonly settings: FoundSettings;
  /** The host that runs on the data directory; undefined when none does. */
  readonly running: Snapshot | undefined;
  /** How the secret store is, asked anew. */
  readonly secrets: () => Promise<Pick<SecretsSnapshot, 'state' | 'code'>>;
  /** How networks are reached. */
  readonly waysOut: WaysOut;
  /** Wall time, Unix ms. */
  readonly now: number;
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

export async function examine({
  dataDir,
  effective,
  settings,
  running,
  secrets,
  waysOut,
  now,
}: Examined): Promise<Finding[]> {
  const { config } = effective;
  // Before the secret store is asked, which may have to make it.
  const folder = checkDataDir(dataDir);
  const [port, secretState, networks, agentServer] = await Promise.all([
    checkPort(effective, running),
    secrets(),
    checkNetworks(config, waysOut, signedInAt(dataDir, running)),
    checkAgentServer(config, running),
  ]);
  return [
    folder,
    ...checkSettings(settings),
    port,
    checkSecrets(config.secrets.store, secretState),
    checkClock(now, networks.times),
    ...networks.findings,
    ...agentServer,
    ...checkAccounts(running),
  ];
}
