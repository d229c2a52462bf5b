import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietLog } from '../../test/support/quiet-log.js';
import type { AccountSnapshot, Finding, Snapshot } from '../bridge/index.js';
import { buildBundle, type BundleParts } from './bundle.js';
import { parseConfig } from './config.js';
import { effectiveConfig } from './effective-config.js';
import { Redactor } from './redaction.js';
import { SecretRegistry } from './secret-registry.js';

const TOKEN = '123456:canary-bot-token-abcdefghijklmnopqrstuv';
const PIN = '4711';

let dir: string;
let registry: SecretRegistry;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bundle-'));
  registry = new SecretRegistry();
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

function parts(more: Partial<BundleParts> = {}): BundleParts {
  const account: AccountSnapshot = {
    accountId: 'acc_secretive',
    displayName: 'Ada Lovelace',
    accountHint: 'ad***',
    state: { status: 'connected', since: 1 },
    lastRoundTripAt: 2,
    pulse: 'a',
    channelId: 'cch_9',
    agentConnected: true,
    deliverTo: 'xagent',
    ownDeliverTo: undefined,
    activity: { status: 'idle' },
    queue: { pending: 0, oldestReceivedAt: undefined, attempts: 0, lastError: undefined, retryAt: undefined },
    counters: {},
    replyWindow: undefined,
    createdAt: 471_100,
  };
  const snapshot = {
    version: '0.1.0',
    dataDir: join(homedir(), 'data'),
    apiKey: { tail: 'TAIL', createdAt: 1, configured: false },
    connectors: [{ name: 'telegram', accounts: [account] }],
  } as unknown as Snapshot;
  const config = parseConfig({ server: { apiKey: 'canary-configured-key' } });
  const finding: Finding = {
    check: 'telegram Ada Lovelace',
    status: 'ok',
    code: 'account_connected',
    values: {},
    detail: 'connected',
    todo: '',
  };
  return {
    dataDir: dir,
    effective: effectiveConfig({ config, given: new Set() }, {}),
    snapshot,
    identities: ['ada@chat.example'],
    findings: [finding],
    redactor: new Redactor(registry),
    registry,
    vaultRead: true,
    log: quietLog,
    now: 0,
    ...more,
  };
}

function logged(...lines: readonly object[]): void {
  mkdirSync(join(dir, 'logs'), { recursive: true });
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(join(dir, 'logs', 'connector.log'), `${text}\nno JSON: ${TOKEN}\n`);
}

test('a bundle says what is wrong, and neither who it is about nor any secret', async () => {
  registry.add('canary-configured-key');
  registry.add(JSON.stringify({ bot_token: TOKEN, pin: PIN }));
  logged(
    { level: 30, msg: `polling as Ada Lovelace (ada@chat.example) with ${TOKEN}`, accountId: 'acc_secretive' },
    { level: 40, msg: 'mail of grace@navy.example', url: `https://x/${encodeURIComponent(TOKEN)}`, code: 'timeout' },
  );
  const { entries, secretsSearched } = await buildBundle(parts());
  const all = entries.map(({ content }) => content).join('');
  for (const hidden of [TOKEN, 'canary', 'Ada', 'ad***', 'acc_secretive', 'cch_9', '@', homedir(), 'TAIL']) {
    expect(all).not.toContain(hidden);
  }
  expect(entries.map(({ name }) => name)).toEqual([
    'about.json',
    'config.json',
    'snapshot.json',
    'doctor.json',
    'connector.log',
    'agent-server.log',
  ]);
  for (const { content, byteSize } of entries) expect(Buffer.byteLength(content)).toBe(byteSize);
  expect(all).toContain('timeout');
  expect(JSON.parse(entries[2]?.content ?? '')).toMatchObject({
    dataDir: '~/data',
    connectors: [{ accounts: [{ accountId: 'account-1', displayName: 'name-1', state: { status: 'connected' } }] }],
  });
  expect(JSON.parse(entries[3]?.content ?? '')).toMatchObject([{ check: 'telegram name-1' }]);
  // The whole credentials, the two texts in them, and the configured key.
  expect(secretsSearched).toBe(4);
});

test('no bundle is made when a secret is still in it after all', async () => {
  registry.add(TOKEN);
  logged({ msg: Buffer.from(`x${TOKEN}`).toString('base64').length, note: Buffer.from(TOKEN).toString('base64') });
  await expect(buildBundle(parts())).rejects.toMatchObject({ name: 'CommandError', code: 'secret_found' });
});

test('the digits of a time are no PIN', async () => {
  registry.add(PIN);
  const { entries } = await buildBundle(parts());
  expect(JSON.parse(entries[2]?.content ?? '')).toMatchObject({
    connectors: [{ accounts: [{ createdAt: 471_100 }] }],
  });
});

test('only the newest lines of a long log are in it, and no half ones', async () => {
  const line = { msg: 'x'.repeat(200) };
  logged(...Array.from({ length: 3_000 }, () => line), { msg: 'the last one' });
  const { entries } = await buildBundle(parts());
  const { content = '', byteSize = 0 } = entries.find(({ name }) => name === 'connector.log') ?? {};
  expect(byteSize).toBeLessThanOrEqual(256 * 1024);
  const lines = content.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThan(1_000);
  expect(lines.map((text) => JSON.parse(text) as unknown).at(-1)).toEqual({ msg: 'the last one' });
});
