import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFeishuServer, type ServerRequestEvent, type StartedFeishuServer } from '@openclaw/crabline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFeishuSimulator, type FeishuSimulator } from '../../../test/simulators/feishu/index.js';
import { FLOW, never, OWNER, text } from '../../../test/support/feishu-rig.js';
import { TargetRig, type OpenedAccount } from '../../../test/support/target-rig.js';
import { systemClock } from '../../base/clock.js';
import { createFeishuTarget } from './index.js';

/**
 * A second opinion by somebody else's emulator of the open platform and its long connection. It has no registration, which
 * our own simulator adds, and neither reactions nor cards nor files, so that what stands here also shows how the connector
 * gets along without them.
 */
const UNTIL_MS = 10_000;

let server: StartedFeishuServer;
let accounts: FeishuSimulator;
let rig: TargetRig;
let folder: string;
let stages: string[];

beforeEach(async () => {
  stages = [];
  folder = await mkdtemp(join(tmpdir(), 'crabline-'));
  accounts = await startFeishuSimulator();
  accounts.registrations.options = { ...accounts.registrations.options, intervalS: 1 };
  server = await startFeishuServer({
    host: '127.0.0.1',
    port: 0,
    recorderPath: join(folder, 'feishu.jsonl'),
    onEvent: (event: ServerRequestEvent) => {
      const { body } = event;
      if (typeof body === 'object' && body !== null && 'stage' in body) {
        const code = 'code' in body ? ` ${String(body.code)}` : '';
        stages.push(`${String(body.stage)}${code}`);
      }
    },
  });
  rig = new TargetRig(
    createFeishuTarget({ apiBaseUrl: server.manifest.baseUrl, accountsBaseUrl: accounts.url }),
    systemClock,
  );
});

afterEach(async () => {
  await rig.close();
  await server.close();
  await accounts.close();
  await rm(folder, { recursive: true, force: true });
});

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: UNTIL_MS, interval: 10 }).toBe(true);
}

async function open(appSecret = server.manifest.appSecret): Promise<OpenedAccount> {
  const { appId } = server.manifest;
  accounts.registrations.script.push({ kind: 'registered', app: { appId, appSecret, ownerId: OWNER } });
  return rig.open('acc_1', await rig.signIn(FLOW, {}).done);
}

async function inject(message: Record<string, unknown>): Promise<void> {
  const { endpoints, adminToken } = server.manifest;
  const response = await fetch(endpoints.adminInboundUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-crabline-admin-token': adminToken },
    body: JSON.stringify({ chatId: 'oc_1', senderId: OWNER, ...message }),
  });
  expect(await response.json()).toMatchObject({ ok: true });
}

describe('against an independent emulator', { timeout: 30_000 }, () => {
  it('receives fragments in any order, acknowledges each message, and answers', async () => {
    const account = await open();
    await until(() => account.state() === 'connected');
    const words = 'hello 👨‍👩‍👧 你好';
    await inject({ text: words, fragments: 5, fragmentOrder: [3, 0, 4, 2, 1] });
    await until(() => stages.includes('sdk.ack 200'));
    expect(rig.intake.textsOf('acc_1')).toEqual([words]);
    const receipt = await account.session.send(text('hello back'), 'k', never);
    expect(receipt.messageId).toMatch(/^om_/);
    expect(stages).toContain('outbound.accepted');
    await account.session.typing?.show();
    await account.session.typing?.clear();
    await expect(account.session.stream?.open('Hel', never)).rejects.toMatchObject({ name: 'TargetRefusal' });
  });

  it('asks for a message again that the disk refused', async () => {
    const account = await open();
    await until(() => account.state() === 'connected');
    rig.intake.failure = new Error('no space');
    await inject({ text: 'kept?' });
    await until(() => stages.includes('sdk.ack 500'));
    expect(rig.intake.received).toEqual([]);
  });

  it('knows a strange secret for what it is', async () => {
    const account = await open('not-the-secret');
    await until(() => account.state() !== 'offline:connecting');
    expect(account.states.map(({ status }) => status)).not.toContain('connected');
  });

  it('lives on pings alone', async () => {
    const account = await open();
    await until(() => stages.filter((stage) => stage === 'websocket.pong').length >= 3);
    expect(account.state()).toBe('connected');
    expect(stages.filter((stage) => stage === 'websocket.connected')).toHaveLength(1);
  });
});
