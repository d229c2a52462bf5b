import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ONLY_LOCAL } from '../../test/support/host-in-process.js';
import { MemorySecretStore } from '../../test/support/memory-secrets.js';
import { systemClock, type Clock } from '../base/clock.js';
import { parseConfig } from './config.js';
import { startHost, type Host } from './host.js';

let dataDir: string;
let secrets: MemorySecretStore;
let host: Host | undefined;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'opening-'));
  secrets = new MemorySecretStore();
});

afterEach(async () => {
  await host?.close();
  host = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

/** A host whose key is known without the secret store, so that only its accounts need that. */
async function start(clock: Clock = systemClock): Promise<Host> {
  host = await startHost({
    config: parseConfig({ server: { port: 0, apiKey: 'a-key-of-this-test' }, connectors: ONLY_LOCAL }),
    dataDir,
    secretStore: secrets,
    clock,
    logOutput: { write: () => undefined },
  });
  return host;
}

const statusOf = (of: Host): string | undefined => of.snapshot().connectors[0]?.accounts[0]?.state.status;

async function signInAndStop(): Promise<void> {
  const first = await start();
  await first.execute('sign-in', { connector: 'local', input: { display_name: 'Ada' } });
  await expect.poll(() => statusOf(first)).toBe('connected');
  await first.close();
}

test('lets agents in once its accounts have their credentials', async () => {
  await signInAndStop();
  const release = secrets.hold();
  let isStarted = false;
  const starting = start().then((it) => {
    isStarted = true;
    return it;
  });
  await expect.poll(() => secrets.calls.filter((call) => call.startsWith('get account/')).length).toBeGreaterThan(0);
  expect(isStarted).toBe(false);
  release();
  expect(statusOf(await starting)).toBe('connected');
});

test('lets them in without, when the secret store takes too long', async () => {
  await signInAndStop();
  const release = secrets.hold();
  const waits: (() => void)[] = [];
  const starting = start({
    ...systemClock,
    after: (ms, fn) => {
      if (ms === 1_500) waits.push(fn);
      return systemClock.after(ms, fn);
    },
  });
  await expect.poll(() => waits.length).toBe(1);
  waits[0]?.();
  expect(statusOf(await starting)).toBe('offline');
  release();
  await expect.poll(() => statusOf(host!)).toBe('connected');
});
