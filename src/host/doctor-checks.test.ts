import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AccountSnapshot, Snapshot } from '../bridge/index.js';
import { parseConfig } from './config.js';
import { checkBindings, checkDataDir, checkNetworks } from './doctor-checks.js';

const MIB = 1024 * 1024;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'doctor-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('a full disk is broken, whoever may read the folder', () => {
  chmodSync(dir, 0o755);
  expect(checkDataDir(dir, () => 3 * MIB)).toMatchObject({ status: 'broken', detail: 'only 3 MB are free' });
});

test('what others may read is said before the disk that is merely low', () => {
  chmodSync(dir, 0o755);
  expect(checkDataDir(dir, () => 100 * MIB)).toMatchObject({ status: 'warn', todo: `chmod 700 ${dir}` });
  chmodSync(dir, 0o700);
  expect(checkDataDir(dir, () => 100 * MIB)).toMatchObject({ status: 'warn', detail: 'only 100 MB are free' });
});

test('a folder of one’s own with room is fine, and so is one on a disk that does not tell', () => {
  expect(checkDataDir(dir, () => 10_000 * MIB).status).toBe('ok');
  expect(checkDataDir(dir, () => undefined).status).toBe('ok');
});

test('a network out of reach is broken only where somebody is signed in', async () => {
  // Port 9 of this machine: nobody listens.
  const config = parseConfig({
    connectors: {
      wechat: { enabled: false },
      feishu: { enabled: false },
      telegram: { apiRoot: 'http://127.0.0.1:9' },
    },
  });
  const telegram = async (signedIn: boolean) => (await checkNetworks(config, () => signedIn)).findings;
  expect(await telegram(true)).toMatchObject([{ check: 'telegram', status: 'broken' }]);
  expect(await telegram(false)).toMatchObject([{ check: 'telegram', status: 'warn' }]);
});

test.each([
  ['secrets_locked', /PASSPHRASE/],
  ['store_disk_full', /disk/],
  ['unreachable', /check the network/],
])('an account that is out of touch because of %s is told what helps', (code, todo) => {
  const account = { displayName: 'Kim', state: { status: 'offline', code, since: 1 } } as AccountSnapshot;
  const running = { connectors: [{ name: 'telegram', accounts: [account] }] } as unknown as Snapshot;
  expect(checkBindings(running)).toMatchObject([{ status: 'broken', todo: expect.stringMatching(todo) }]);
});
