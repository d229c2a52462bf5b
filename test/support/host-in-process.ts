import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.js';
import { parseConfig } from '../../src/host/config.js';
import { startHost, type Host } from '../../src/host/host.js';
import { layLightSecrets } from './light-secrets.js';

const PASSPHRASE = 'a passphrase of this test';

/** Only the local chat is there unless a test asks for more. */
export const ONLY_LOCAL = Object.fromEntries(
  ['wechat', 'telegram', 'feishu', 'xmpp'].map((name) => [name, { enabled: false }]),
);

/** The whole host in the test's own process: real store, secrets, server and control socket, on a folder of its own. */
export interface HostInProcess {
  readonly host: Host;
  readonly dataDir: string;
  /** Everything it logged. */
  readonly logged: () => string;
  /** Stops it and starts it again on the same folder, by this clock. */
  restart(clock?: Clock): Promise<HostInProcess>;
  destroy(): Promise<void>;
}

/** @param config merged over what keeps a test to itself: a free port, secrets in a file, no network outside */
export async function hostInProcess(
  config: { readonly server?: object; readonly connectors?: object; readonly delivery?: object } = {},
  dataDir?: string,
  clock?: Clock,
): Promise<HostInProcess> {
  if (dataDir === undefined) {
    const fresh = mkdtempSync(join(tmpdir(), 'host-'));
    await layLightSecrets(fresh, PASSPHRASE);
    return hostInProcess(config, fresh, clock);
  }
  let logged = '';
  const host = await startHost({
    config: parseConfig({
      ...config,
      server: { port: 0, ...config.server },
      secrets: { store: 'file' },
      connectors: { ...ONLY_LOCAL, ...config.connectors },
    }),
    dataDir,
    passphrase: PASSPHRASE,
    ...(clock && { clock }),
    logOutput: { write: (line) => void (logged += line) },
  });
  return {
    host,
    dataDir,
    logged: () => logged,
    async restart(next) {
      await host.close();
      return hostInProcess(config, dataDir, next);
    },
    async destroy() {
      await host.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
