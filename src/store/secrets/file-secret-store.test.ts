import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SECRETS_FILE } from './file-secret-store.js';
import { openSecretStore, SecretStoreError, type SecretStore } from './index.js';
import { parseSealed } from './sealed-file.js';

let dataDir: string;
const open: SecretStore[] = [];

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'secrets-'));
});

afterEach(async () => {
  for (const secrets of open.splice(0)) await secrets.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

/** Generous: a key takes half a second of one core, and tests share theirs. */
const DEADLINE_MS = 60_000;

function openFile(passphrase: string | undefined = 'correct horse'): SecretStore {
  const secrets = openSecretStore({ kind: 'file', dataDir, passphrase, deadlineMs: DEADLINE_MS });
  open.push(secrets);
  return secrets;
}

const file = (): string => path.join(dataDir, SECRETS_FILE);

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof SecretStoreError ? `${error.state}: ${error.code}` : error;
}

describe('the encrypted secrets file', { timeout: DEADLINE_MS }, () => {
  it('keeps, changes and forgets secrets, over a restart', async () => {
    const first = openFile();
    expect(await first.probe()).toEqual({ state: 'ready' });
    expect(await first.get('account/a')).toBeUndefined();
    await Promise.all([first.set('account/a', 'one'), first.set('account/b', 'zwei 🗝'), first.set('account/a', 'two')]);
    await first.delete('account/never-there');
    await first.close();

    const second = openFile();
    expect(await second.get('account/a')).toBe('two');
    expect(await second.get('account/b')).toBe('zwei 🗝');
    await second.delete('account/a');
    expect(await second.get('account/a')).toBeUndefined();
  });

  it('shows neither secrets nor their names, and is its owner’s only', async () => {
    const secrets = openFile();
    await secrets.set('account/canary-name', 'canary-value');
    const text = fs.readFileSync(file(), 'utf8');
    expect(text).not.toMatch(/canary|correct|horse/);
    const data = Buffer.from(parseSealed(text).data, 'base64').toString('latin1');
    expect(data).not.toMatch(/canary/);
    expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(dataDir)).toEqual([SECRETS_FILE]);
  });

  it('never uses a nonce twice', async () => {
    const secrets = openFile();
    const nonces: string[] = [];
    for (const value of ['a', 'a', 'b']) {
      await secrets.set('x', value);
      nonces.push(parseSealed(fs.readFileSync(file(), 'utf8')).nonce);
    }
    expect(new Set(nonces).size).toBe(3);
  });

  it('given no passphrase, is locked and writes nothing', async () => {
    for (const passphrase of [undefined, '']) {
      const secrets = openSecretStore({ kind: 'file', dataDir, passphrase });
      open.push(secrets);
      expect(await secrets.probe()).toEqual({ state: 'locked', code: 'passphrase_missing' });
      expect(await refusal(secrets.set('x', 'y'))).toBe('locked: passphrase_missing');
    }
    expect(fs.readdirSync(dataDir)).toEqual([]);
  });

  it('given another passphrase, is locked and stays as it is', async () => {
    await openFile().set('x', 'y');
    const before = fs.readFileSync(file());
    const secrets = openFile('wrong horse');
    expect(await secrets.probe()).toEqual({ state: 'locked', code: 'wrong_passphrase' });
    expect(await refusal(secrets.get('x'))).toBe('locked: wrong_passphrase');
    expect(await refusal(secrets.set('x', 'z'))).toBe('locked: wrong_passphrase');
    expect(await refusal(secrets.delete('x'))).toBe('locked: wrong_passphrase');
    expect(fs.readFileSync(file()).equals(before)).toBe(true);
  });

  it('takes a passphrase however its letters are composed', async () => {
    await openFile('caf\u00e9').set('x', 'y');
    expect(await openFile('cafe\u0301').get('x')).toBe('y');
  });

  it('keeps what it knows when it is closed, and then refuses', async () => {
    const secrets = openFile();
    const last = secrets.set('x', 'y');
    await secrets.close();
    await last;
    expect(await refusal(secrets.get('x'))).toBe('failed: closed');
    expect(await openFile().get('x')).toBe('y');
  });

  let whole: string;

  beforeAll(async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'secrets-'));
    const secrets = openSecretStore({
      kind: 'file',
      dataDir: folder,
      passphrase: 'correct horse',
      deadlineMs: DEADLINE_MS,
    });
    await secrets.set('x', 'y');
    await secrets.close();
    whole = fs.readFileSync(path.join(folder, SECRETS_FILE), 'utf8');
    fs.rmSync(folder, { recursive: true, force: true });
  }, DEADLINE_MS);

  const damages: [string, (text: string) => string][] = [
    ['empty', () => ''],
    ['cut in half', (text) => text.slice(0, text.length / 2)],
    ['followed by trailing bytes', (text) => `${text}}`],
    ['zeros', (text) => '\0'.repeat(text.length)],
    ['another program’s', () => '{"accounts":{}}'],
    [
      'changed in one letter',
      (text) => text.replace(/"data":"(.)/, (_all, c: string) => `"data":"${c === 'A' ? 'B' : 'A'}`),
    ],
    ['given a cheaper key', (text) => text.replace('"N":131072', '"N":1024')],
    ['given an endless key', (text) => text.replace('"N":131072', '"N":1073741824')],
  ];

  describe.each(damages)('found %s', (_name, damage) => {
    it('is refused and left as it is', async () => {
      const damaged = damage(whole);
      fs.writeFileSync(file(), damaged);
      const secrets = openFile();
      expect(await secrets.probe()).toEqual({ state: 'failed', code: 'secrets_damaged' });
      expect(await refusal(secrets.set('x', 'z'))).toBe('failed: secrets_damaged');
      expect(fs.readFileSync(file(), 'utf8')).toBe(damaged);
    });
  });

  it('does not hold up the event loop while it makes its key', async () => {
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns += 1;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    await openFile().probe();
    running = false;
    expect(turns).toBeGreaterThan(100);
  });
});
