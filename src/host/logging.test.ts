import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { createLogging, type Logging } from './logging.js';
import { Redactor } from './redaction.js';
import { registeringSecretStore, SecretRegistry } from './secret-registry.js';

let dataDir: string;
let opened: Logging[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'host-logging-'));
});
afterEach(async () => {
  // A file that is still being written would make its folder again.
  await Promise.all(opened.map((logging) => logging.close()));
  opened = [];
  rmSync(dataDir, { recursive: true, force: true });
});

function setUp(level: 'debug' | 'info' = 'debug') {
  const lines: string[] = [];
  const secrets = new SecretRegistry();
  const logging = createLogging({
    level,
    dataDir,
    clock: new ManualClock(),
    secrets,
    output: { write: (line) => void lines.push(line) },
  });
  opened.push(logging);
  return { ...logging, secrets, lines };
}

const BOT_TOKEN = '123456789:AAHcanary_canary-canary0123456789abc';

describe('no secret reaches the log', () => {
  test.each([
    ['a bot token in a text', { url: `https://api.telegram.org/bot${BOT_TOKEN}/getUpdates` }, BOT_TOKEN],
    ['a Bearer header in a text', { header: 'sent Authorization: Bearer canary-key.123' }, 'canary-key.123'],
    ['a key by its name', { token: 'canary' }, 'canary'],
    [
      'a key by its name, however spelled',
      { 'Set-Cookie': 'canary', botToken: 'canary', context_token: 'canary' },
      'canary',
    ],
    ['a whole object under such a name', { credentials: { any: { depth: 'canary' } } }, 'canary'],
    ['a list', { items: [{ apiKey: 'canary' }] }, 'canary'],
    ['userinfo of a URL', { proxy: 'http://user:canary@proxy.example:3128' }, 'canary'],
    ['a query parameter', { url: 'https://h.example/x?a=1&access_token=canary&b=2' }, 'canary'],
    ['something very deep', deep('canary', 30), 'canary'],
  ])('%s', (_what, fields, canary) => {
    const { log, lines } = setUp();
    log.info(fields, 'a line');
    expect(lines.join('')).toContain('a line');
    expect(lines.join('')).not.toContain(canary);
  });

  test('an error object, its stack and its cause', () => {
    const { log, lines } = setUp();
    const cause = new Error(`request to /bot${BOT_TOKEN}/sendMessage failed`);
    log.error({ err: new Error(`failed: ${BOT_TOKEN}`, { cause }) }, `upstream said ${BOT_TOKEN}`);
    expect(lines.join('')).not.toContain(BOT_TOKEN);
  });

  test('a value that the secret store gave out, wherever it turns up and however it is encoded', async () => {
    const { log, lines, secrets } = setUp();
    const store = registeringSecretStore(
      {
        kind: 'file',
        probe: async () => ({ state: 'ready' }),
        get: async () => JSON.stringify({ credentials: { password: 'p ä"s%/canary' } }),
        set: async () => undefined,
        delete: async () => undefined,
        close: async () => undefined,
      },
      secrets,
    );
    await store.get('account/1');
    await store.set('api-key', 'another-canary');
    log.info({ a: 'p ä"s%/canary', b: [encodeURIComponent('p ä"s%/canary')] }, 'x another-canary y');
    expect(lines.join('')).not.toContain('canary');
  });

  test('files hold what the output holds', async () => {
    const { log, close } = setUp();
    log.warn({ token: 'canary' }, 'kept');
    await close();
    const text = readdirSync(join(dataDir, 'logs'))
      .map((name) => readFileSync(join(dataDir, 'logs', name), 'utf8'))
      .join('');
    expect(text).toContain('kept');
    expect(text).not.toContain('canary');
  });
});

test('what is not secret stays readable', () => {
  const { log, lines } = setUp();
  log.info({ code: 'conflict', tokens: 3, path: '/telegram/health', ratio: '10:20' }, 'polling at 12:30:45');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    code: 'conflict',
    tokens: 3,
    path: '/telegram/health',
    ratio: '10:20',
    msg: 'polling at 12:30:45',
  });
});

describe('secrets that are no longer known', () => {
  const masked = (secrets: SecretRegistry, text: string): boolean => !secrets.mask(text, '*').includes(text);

  test("are never the program's own for what was typed since", () => {
    const secrets = new SecretRegistry();
    secrets.add('the-api-key');
    for (let index = 0; index < 5_000; index += 1) secrets.addTyped(`guessed-token-${index}`);
    expect(masked(secrets, 'the-api-key')).toBe(true);
    expect(masked(secrets, 'guessed-token-4999')).toBe(true);
    expect(secrets.size).toBeLessThan(2_000);
  });

  test('are those that were not seen for longest', () => {
    const secrets = new SecretRegistry();
    secrets.add('asked-for-again');
    secrets.add('seen-once-only');
    for (let index = 0; index < 5_000; index += 1) {
      secrets.add(`account-token-${index}`);
      secrets.add('asked-for-again');
    }
    expect(masked(secrets, 'asked-for-again')).toBe(true);
    expect(masked(secrets, 'seen-once-only')).toBe(false);
  });
});

test('half a character in a secret is no reason to fail', () => {
  const secrets = new SecretRegistry();
  secrets.addTyped('pass\ud800word');
  expect(secrets.mask('a pass\ud800word', '*')).toBe('a *');
});

test('any registered secret is masked in any text around it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 4, maxLength: 40 }), fc.string(), fc.string(), (secret, before, after) => {
      const secrets = new SecretRegistry();
      secrets.add(secret);
      const line = new Redactor(secrets).line(JSON.stringify({ x: before + secret + after }));
      const { x } = JSON.parse(line) as { x: string };
      // What the mask itself and its neighbours make up is no leak of the secret.
      expect(x.split('[redacted]').some((part) => part.includes(secret))).toBe(false);
    }),
  );
});

describe('logging never stops the program', () => {
  test('when the folder can not be made', async () => {
    writeFileSync(join(dataDir, 'logs'), 'a file where the folder should be');
    const { log, lines, close } = setUp();
    log.info('still said');
    await close();
    expect(lines.join('')).toContain('still said');
  });

  test('when it is used after it was closed', async () => {
    const { log, close } = setUp();
    await close();
    expect(() => log.info('late')).not.toThrow();
  });
});

function deep(value: string, depth: number): Record<string, unknown> {
  return depth === 0 ? { x: value } : { x: deep(value, depth - 1) };
}
