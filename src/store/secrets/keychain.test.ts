import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundle, BUNDLE_ENV } from '../../../test/support/bundle.js';
import type { KeychainStep } from '../../../test/support/programs/keychain-user.js';

/**
 * A real Secret Service on a bus of its own, with a home of its own: the person's keyring is out of reach.
 * Needs the packages of scripts/system-packages.txt; other systems have their own keychains.
 */

let folder: string;
let program: string;
let worker: string;
let home: string;
let dataDir: string;

const UNLOCKED = 'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1';
const LOCKED = 'gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1';

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'keychain-'));
  program = await bundle('test/support/programs/keychain-user.ts', path.join(folder, 'user.js'));
  worker = await bundle('src/store/secrets/keychain-worker.ts', path.join(folder, 'keychain-worker.js'));
});

beforeEach(() => {
  home = fs.mkdtempSync(path.join(folder, 'home-'));
  dataDir = path.join(home, 'data');
});

afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Does `steps` in a process that finds a keyring prepared by the shell line `daemon`, or the bus at an address. */
async function use(where: { daemon: string } | { bus: string }, steps: readonly KeychainStep[]): Promise<unknown[]> {
  const run = fs.mkdtempSync(path.join(home, 'run-'));
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: home, XDG_RUNTIME_DIR: run, XDG_DATA_HOME: path.join(home, 'share'), ...BUNDLE_ENV };
  const command = [process.execPath, program, worker];
  const child =
    'daemon' in where
      ? spawn('dbus-run-session', ['--', 'sh', '-c', `${where.daemon}; exec "$@"`, 'sh', ...command], { env })
      : spawn(command[0] ?? '', command.slice(1), { env: { ...env, DBUS_SESSION_BUS_ADDRESS: where.bus } });
  child.stdin.end(JSON.stringify(steps));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(child.exitCode, stderr).toBe(0);
  const [, ...answers]: unknown[] = JSON.parse(stdout);
  return answers;
}

const withStore = (...steps: KeychainStep[]): KeychainStep[] => [{ do: 'open', dataDir }, ...steps];

describe.runIf(process.platform === 'linux')('the keychain', { timeout: 60_000 }, () => {
  it('when it is unlocked, is ready and keeps, changes and forgets secrets over a restart', async () => {
    const first = await use(
      { daemon: UNLOCKED },
      withStore(
        { do: 'probe' },
        { do: 'get', name: 'account/a' },
        { do: 'set', name: 'account/a', value: 'one' },
        { do: 'set', name: 'account/a', value: 'zwei 🗝 "quoted"' },
        { do: 'set', name: 'account/b', value: 'x'.repeat(2000) },
        { do: 'delete', name: 'account/b' },
        { do: 'delete', name: 'account/never-there' },
      ),
    );
    expect(first).toEqual([{ state: 'ready' }, 'nothing', 'done', 'done', 'done', 'done', 'done']);
    const second = await use(
      { daemon: UNLOCKED },
      withStore({ do: 'get', name: 'account/a' }, { do: 'get', name: 'account/b' }),
    );
    expect(second).toEqual(['zwei 🗝 "quoted"', 'nothing']);
  });

  it('keeps the secrets of two data directories apart', async () => {
    const answers = await use({ daemon: UNLOCKED }, [
      { do: 'open', dataDir },
      { do: 'set', name: 'api-key', value: 'of one' },
      { do: 'open', dataDir: path.join(home, 'other') },
      { do: 'get', name: 'api-key' },
      { do: 'set', name: 'api-key', value: 'of the other' },
      { do: 'open', dataDir },
      { do: 'get', name: 'api-key' },
    ]);
    expect(answers).toEqual(['done', 'opened', 'nothing', 'done', 'opened', 'of one']);
  });

  it('when it is locked, says so, also where it would answer that a secret it has is not there', async () => {
    await use({ daemon: UNLOCKED }, withStore({ do: 'set', name: 'account/a', value: 'kept' }));
    const locked = await use(
      { daemon: LOCKED },
      withStore(
        { do: 'probe' },
        { do: 'get', name: 'account/a' },
        { do: 'set', name: 'account/a', value: 'lost' },
        { do: 'delete', name: 'account/a' },
      ),
    );
    expect(locked).toEqual([
      { state: 'locked', code: 'keychain_locked' },
      'locked: keychain_locked',
      'locked: keychain_locked',
      'locked: keychain_locked',
    ]);
    expect(await use({ daemon: UNLOCKED }, withStore({ do: 'get', name: 'account/a' }))).toEqual(['kept']);
  });

  it('when there is none, says so', async () => {
    const answers = await use(
      { bus: 'unix:path=/nope' },
      withStore({ do: 'probe' }, { do: 'get', name: 'a' }, { do: 'set', name: 'a', value: 'b' }),
    );
    expect(answers).toEqual([
      { state: 'absent', code: 'keychain_absent' },
      'absent: keychain_absent',
      'absent: keychain_absent',
    ]);
  });

  it('when it hangs, is given up at the deadline, asked anew by the next call, and keeps nobody from ending', async () => {
    const socket = path.join(home, 'silent');
    const silent = net.createServer();
    const connections = new Set<net.Socket>();
    silent.on('connection', (connection) => {
      connections.add(connection);
      connection.on('error', () => undefined);
    });
    silent.listen(socket);
    await once(silent, 'listening');
    const answers = await use({ daemon: UNLOCKED }, [
      { do: 'open', dataDir, deadlineMs: 1500 },
      { do: 'set', name: 'a', value: 'kept' },
      { do: 'open', dataDir, deadlineMs: 1500 },
      { do: 'bus', address: `unix:path=${socket}` },
      { do: 'probe' },
      { do: 'get', name: 'a' },
      { do: 'bus', address: 'unix:path=/nope' },
      { do: 'get', name: 'a' },
    ]);
    for (const connection of connections) connection.destroy();
    await new Promise((resolve) => silent.close(resolve));
    expect(connections.size).toBeGreaterThanOrEqual(2);
    expect(answers).toEqual([
      'done',
      'opened',
      'done',
      { state: 'failed', code: 'timeout' },
      'failed: timeout',
      'done',
      'absent: keychain_absent',
    ]);
  });

  it('is never told a secret by arguments or variables', async () => {
    const answers = await use(
      { daemon: `${UNLOCKED}; export XAGENT_CONNECTOR_PASSPHRASE=canary-passphrase` },
      withStore({ do: 'set', name: 'a', value: 'canary-value' }, { do: 'look at worker' }),
    );
    expect(answers[1]).toHaveLength(1);
    expect(JSON.stringify(answers[1])).toContain('keychain-worker.js');
    expect(JSON.stringify(answers[1])).not.toContain('canary');
  });
});
