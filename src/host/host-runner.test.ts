import { createHook } from 'node:async_hooks';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeKeychain } from '../../test/support/fake-keychain.js';
import { ONLY_LOCAL } from '../../test/support/host-in-process.js';
import { Squatter } from '../../test/support/squatter.js';
import { lockDataDir } from '../store/data-dir-lock.js';
import { CommandError } from './command-error.js';
import { HostRunner, type HostRunnerOptions } from './host-runner.js';
import { readSettings } from './settings.js';

const PASSPHRASE = 'a passphrase of this test';

let dir: string;
let runner: HostRunner | undefined;
let squatter: Squatter | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'runner-'));
});

afterEach(async () => {
  await runner?.stop();
  runner = undefined;
  await squatter?.leave();
  squatter = undefined;
  rmSync(dir, { recursive: true, force: true });
});

function run(config: object = {}, options: Partial<HostRunnerOptions> = {}): HostRunner {
  const configFile = join(dir, 'config.json');
  writeFileSync(
    configFile,
    JSON.stringify({ server: { port: 0 }, secrets: { store: 'file' }, connectors: ONLY_LOCAL, ...config }),
  );
  runner = new HostRunner({
    places: { dataDir: join(dir, 'data'), configFile },
    passphrase: PASSPHRASE,
    logOutput: { write: () => undefined },
    ...options,
  });
  return runner;
}

async function squat(): Promise<number> {
  squatter = await Squatter.start();
  return squatter.port;
}

describe('a start that fails is a stage with a reason', () => {
  test('another process works on the data directory; once it is gone, a restart succeeds', async () => {
    const it = run();
    const lock = await lockDataDir(it.dataDir);
    await it.start();
    expect(it.stage).toMatchObject({ stage: 'failed', code: 'data_dir_locked' });
    await expect(it.execute('snapshot', {})).rejects.toMatchObject({ code: 'host_not_running' });
    await lock.release();
    const stages: string[] = [];
    it.onChange(() => stages.push(it.stage.stage));
    await it.restart();
    expect(it.stage.stage).toBe('running');
    await expect.poll(() => stages.at(-1)).toBe('running');
    await it.stop();
    expect(it.stage.stage).toBe('stopping');
  });

  test('a wrong key in the configuration file is named', async () => {
    const it = run({ sever: {} });
    await it.start();
    expect(it.stage).toMatchObject({ code: 'config_invalid', message: expect.stringContaining('sever') });
  });

  test('a file lies where the data directory should be', async () => {
    writeFileSync(join(dir, 'data'), 'a file');
    const it = run();
    await it.start();
    expect(it.stage).toMatchObject({ code: 'data_dir_not_a_folder' });
  });

  test('a new encrypted file takes no short passphrase; one that a host without a window made opens with its own', async () => {
    const made = run({}, { passphrase: 'p' });
    await made.start();
    await made.stop();
    const it = run({}, { passphrase: undefined });
    await it.start();
    await it.useSecretFile('p');
    expect(it.stage).toMatchObject({ stage: 'running', snapshot: { secrets: { kind: 'file', state: 'ready' } } });
    await it.stop();
    rmSync(join(it.dataDir, 'secrets.enc'));
    await expect(it.useSecretFile('p')).rejects.toMatchObject({ code: 'invalid_params' });
    expect(existsSync(join(it.dataDir, 'secrets.enc'))).toBe(false);
  });

  test('the encrypted file needs its passphrase, and the right one', async () => {
    const first = run();
    await first.start();
    const { apiKey } = await first.execute('api-key', {});
    await first.stop();
    const it = run({}, { passphrase: undefined });
    await it.start();
    expect(it.stage).toMatchObject({ stage: 'failed', code: 'passphrase_needed' });
    await expect(it.useSecretFile('not the passphrase')).rejects.toMatchObject({ code: 'passphrase_wrong' });
    expect(it.stage).toMatchObject({ stage: 'failed', code: 'passphrase_needed' });
    await it.useSecretFile(PASSPHRASE);
    expect(it.stage).toMatchObject({ stage: 'running', snapshot: { secrets: { kind: 'file', state: 'ready' } } });
    expect(await it.execute('api-key', {})).toEqual({ apiKey });
    expect(readSettings(it.dataDir).settings).toEqual({ secretStore: 'file' });
    const wrong = run({}, { passphrase: 'another one' });
    await first.stop();
    await it.stop();
    await wrong.start();
    expect(wrong.stage).toMatchObject({ stage: 'failed', code: 'passphrase_wrong' });
  });
});

describe('a port that is taken', () => {
  test('stops nothing else, says who has it, and another one is kept for the next start', async () => {
    const port = await squat();
    const it = run({ server: { port } });
    await it.start();
    const { stage } = it;
    expect(stage).toMatchObject({ stage: 'running', snapshot: { port, server: { state: 'port_taken', port } } });
    if (stage.stage !== 'running' || stage.snapshot.server.state !== 'port_taken') throw new Error('not taken');
    const { holder, suggestedPort } = stage.snapshot.server;
    if (process.platform === 'linux') expect(holder?.pid).toBe(process.pid);
    expect(suggestedPort).toBeGreaterThan(0);
    await expect(it.execute('retry-port', {})).rejects.toMatchObject({ code: 'port_in_use' });
    await expect(it.execute('set-settings', { port })).rejects.toMatchObject({ code: 'port_in_use' });
    expect(readSettings(it.dataDir).settings).toEqual({});

    const settings = await it.execute('set-settings', { port: suggestedPort });
    expect(settings.port).toBe(suggestedPort);
    const snapshot = await it.execute('snapshot', {});
    expect(snapshot.server).toEqual({ state: 'listening' });
    expect(snapshot.connectors[0]?.baseUrl).toBe(`http://127.0.0.1:${suggestedPort}/local`);
    expect((await fetch(`${snapshot.url}/local/connector-card.json`)).status).toBe(200);
    await it.restart();
    expect(it.host?.port).toBe(suggestedPort);
  });

  test('that becomes free is taken at the next try', async () => {
    const port = await squat();
    const it = run({ server: { port } });
    await it.start();
    await squatter?.leave();
    await it.execute('retry-port', {});
    expect(it.stage).toMatchObject({ snapshot: { server: { state: 'listening' }, port } });
  });
});

describe('secrets that move to another store', () => {
  /** Runs with its secrets in the file, one account signed in. */
  async function withAnAccount(keychain: FakeKeychain): Promise<HostRunner> {
    const it = run({}, { spawnWorker: keychain.spawn });
    await it.start();
    await signIn(it, 'Ada');
    return it;
  }

  async function signIn(it: HostRunner, name: string): Promise<void> {
    const params = { connector: 'local', input: { display_name: name } };
    const { authSessionId } = await it.execute('sign-in', params);
    const state = () => it.execute('sign-in-state', { connector: 'local', authSessionId });
    await expect.poll(async () => (await state()).status).toBe('authenticated');
  }

  /** Where each account stands, as the window shows it. */
  async function standings(it: HostRunner): Promise<string[]> {
    const { connectors } = await it.execute('snapshot', {});
    return connectors.flatMap(({ accounts }) => accounts.map(({ state }) => state.status));
  }

  test('are all there, also those of a sign-in that would have ended in between', async () => {
    const keychain = new FakeKeychain();
    const it = await withAnAccount(keychain);
    const { apiKey } = await it.execute('api-key', {});
    const late: string[] = [];
    keychain.onSet = async () => {
      keychain.onSet = () => Promise.resolve();
      try {
        await signIn(it, 'Grace');
        late.push('signed in');
      } catch (error) {
        late.push(error instanceof CommandError ? error.code : String(error));
      }
    };
    await it.useKeychain();
    expect(it.stage).toMatchObject({ stage: 'running', snapshot: { secrets: { kind: 'keychain', state: 'ready' } } });
    await expect.poll(() => standings(it)).toEqual(['connected']);
    expect(late).toEqual(['host_not_running']);
    expect(await it.execute('api-key', {})).toEqual({ apiKey });

    await it.useSecretFile(PASSPHRASE);
    expect(it.stage).toMatchObject({ snapshot: { secrets: { kind: 'file', state: 'ready' } } });
    await expect.poll(() => standings(it)).toEqual(['connected']);
  });

  test('take those of a network along that is switched off right now', async () => {
    const keychain = new FakeKeychain();
    const it = await withAnAccount(keychain);
    const { accountId } = (await it.execute('snapshot', {})).connectors[0]?.accounts[0] ?? {};
    const switchedOff = run(
      { connectors: { ...ONLY_LOCAL, local: { enabled: false } } },
      { spawnWorker: keychain.spawn },
    );
    await it.stop();
    await switchedOff.start();
    await switchedOff.useKeychain();
    expect([...keychain.entries.keys()].sort()).toEqual([`account/${accountId}`, 'api-key']);
  });

  test('stay where they are, all of them, when the other store takes only some', async () => {
    const keychain = new FakeKeychain();
    const it = await withAnAccount(keychain);
    const { apiKey } = await it.execute('api-key', {});
    keychain.onSet = (name) => (name.startsWith('account/') ? Promise.reject(new Error('full')) : Promise.resolve());
    await expect(it.useKeychain()).rejects.toMatchObject({ code: 'keychain_error' });
    expect(it.stage).toMatchObject({ stage: 'running', snapshot: { secrets: { kind: 'file', state: 'ready' } } });
    await expect.poll(() => standings(it)).toEqual(['connected']);
    expect(await it.execute('api-key', {})).toEqual({ apiKey });
    expect(readSettings(it.dataDir).settings).toEqual({});
  });

  test('leave no file behind that was only begun', async () => {
    const keychain = new FakeKeychain();
    const it = run({ secrets: { store: 'keychain' } }, { spawnWorker: keychain.spawn, passphrase: undefined });
    await it.start();
    await signIn(it, 'Ada');
    // No store takes an empty secret; the key, which comes first, is in the file by then.
    for (const name of keychain.entries.keys()) if (name.startsWith('account/')) keychain.entries.set(name, '');
    await expect(it.useSecretFile(PASSPHRASE)).rejects.toMatchObject({ code: 'empty_secret' });
    expect(existsSync(join(it.dataDir, 'secrets.enc'))).toBe(false);
    expect(it.stage).toMatchObject({ stage: 'running', snapshot: { secrets: { kind: 'keychain', state: 'ready' } } });
  });

  test('do not move into a store that is not ready; the host does not even stop for that', async () => {
    const keychain = new FakeKeychain();
    const it = await withAnAccount(keychain);
    keychain.locked = true;
    const stages: string[] = [];
    it.onChange(() => stages.push(it.stage.stage));
    await expect(it.useKeychain()).rejects.toMatchObject({ state: 'locked', code: 'keychain_locked' });
    expect(new Set([...stages, it.stage.stage])).toEqual(new Set(['running']));
  });
});

test('what a passphrase becomes is derived once, for a change of the store and the start that follows', async () => {
  const derived: string[] = [];
  const work = createHook({
    init: (_id, type) => {
      // What Node calls one derivation of scrypt on its way through the thread pool.
      if (type === 'SCRYPTREQUEST') derived.push(type);
    },
  });
  const it = run({ secrets: { store: 'keychain' } }, { spawnWorker: new FakeKeychain().spawn, passphrase: undefined });
  await it.start();
  work.enable();
  await it.useSecretFile(PASSPHRASE);
  await it.execute('api-key', {});
  expect(derived).toHaveLength(1);
  await it.restart();
  work.disable();
  expect(it.stage).toMatchObject({ stage: 'running', snapshot: { secrets: { kind: 'file', state: 'ready' } } });
  expect(derived).toHaveLength(2);
});

test('settings that are damaged are set aside and reported, and the host starts', async () => {
  const it = run();
  mkdirSync(it.dataDir, { recursive: true });
  writeFileSync(join(it.dataDir, 'settings.json'), '{');
  await it.start();
  expect(it.stage.stage).toBe('running');
  expect(readSettings(it.dataDir)).toEqual({ settings: {}, damaged: undefined });
});
