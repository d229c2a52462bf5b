import { randomBytes } from 'node:crypto';
import jsQR from 'jsqr';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FeishuSimulator } from '../simulators/feishu/index.js';
import { decodePng } from '../support/decode-png.js';
import { eventually } from '../support/deadline.js';
import { FeishuNetwork } from '../support/feishu-network.js';
import { API_KEY, PASSPHRASE } from '../support/host-process.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { counterOf } from '../support/status.js';
import { World } from '../support/world.js';

/** A sign-in polls once a second; milliseconds. */
const SIGN_IN_MS = 20_000;
const CREATE = 'POST im/v1/messages';

describe('signing in to /feishu', () => {
  const rig = new FeishuNetwork();
  let world: World;
  let feishu: FeishuSimulator;
  let agent: SpecAgent;
  let channel: string;

  beforeAll(async () => {
    world = await World.start(rig);
    feishu = rig.simulator;
  });
  beforeEach(async () => {
    agent = await world.agent();
    channel = (await agent.open()).channel;
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const start = async (): Promise<Record<string, unknown>> =>
    (await agent.request('auth.start', { channel, payload: { flow_id: rig.flowId } })).payload ?? {};
  const statusOf = async (session: unknown, more: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
    (await agent.request('auth.status', { channel, payload: { auth_session_id: session, ...more } })).payload ?? {};

  it('shows a QR as text and as a picture that a phone reads', async () => {
    const ack = await start();
    const shown = await eventually(async () => {
      const status = await statusOf(ack['auth_session_id']);
      return status['qr_code_text'] === undefined ? undefined : status;
    }, 'the QR');
    const link = String(shown['qr_code_text']);
    expect(link).toMatch(/^https:\/\/open\.feishu\.cn\/page\/launcher\?/);
    const image = decodePng(Buffer.from(String(shown['qr_code_image']).split(',')[1] ?? '', 'base64'));
    expect(jsQR(image.data, image.width, image.height)?.data).toBe(link);
    await agent.request('auth.cancel', { channel, payload: { auth_session_id: ack['auth_session_id'] } });
  });

  it('says in words that the person refused', async () => {
    const ack = await start();
    feishu.registrations.script.push({ kind: 'error', error: 'access_denied' });
    const end = await eventually(
      async () => {
        const status = await statusOf(ack['auth_session_id']);
        return status['status'] === 'failed' ? status : undefined;
      },
      'the end',
      SIGN_IN_MS,
    );
    expect(String(end['message'])).toMatch(/refused on the phone/);
  });

  it('gives a new QR, at the other page, when asked for one', async () => {
    const ack = await start();
    const session = ack['auth_session_id'];
    await eventually(async () => (await statusOf(session))['qr_code_text'] !== undefined, 'the QR');
    await statusOf(session, { refresh: true });
    await eventually(
      async () => String((await statusOf(session))['qr_code_text']).includes('/page/cli?'),
      'the other QR',
    );
    await agent.request('auth.cancel', { channel, payload: { auth_session_id: session } });
  });

  it('ends authenticated and connected once the person has confirmed', async () => {
    const ack = await start();
    feishu.confirm(rig.person);
    const session = ack['auth_session_id'];
    await eventually(async () => (await statusOf(session))['status'] === 'authenticated', 'the end', SIGN_IN_MS);
    await agent.untilStatus(channel, 'connected');
    await world.signOut(agent, channel);
    await eventually(() => feishu.push.open === 0, 'the line to close');
  });
});

describe('a conversation over /feishu', () => {
  const rig = new FeishuNetwork();
  let world: World;
  let feishu: FeishuSimulator;
  let agent: SpecAgent;
  let channel: string;

  beforeAll(async () => {
    world = await World.start(rig, {
      log: { level: 'debug' },
      delivery: { ackTimeoutMs: 2_000, retryInitialMs: 100, retryMaxMs: 400 },
    });
    feishu = rig.simulator;
    channel = (await world.bound()).channel;
    await world.farewell();
  });
  beforeEach(async () => {
    agent = await world.agent();
    await agent.open(channel);
    await agent.untilStatus(channel, 'connected');
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const heard = (text: string) => agent.messages.next((message) => message.text === text, 'the message');
  const resume = async (): Promise<void> => {
    agent = await world.agent({ connectorId: agent.connectorId });
    await agent.open(channel);
    await agent.untilStatus(channel, 'connected');
  };

  it('takes words byte for byte and brings the answer back', async () => {
    const words = ' 你好 👩🏽‍🚀\n<b>& "x" \\';
    await rig.personSays(words);
    await heard(words);
    expect((await agent.say(channel, 'an answer')).payload).toMatchObject({ status: 'accepted' });
    expect((await rig.visible()).at(-1)).toBe('an answer');
  });

  it('takes the same message once, over a crash too (B19)', async () => {
    const once = { messageId: id('om'), eventId: id('ev') };
    feishu.say(rig.person, 'once only', once);
    await heard('once only');
    feishu.say(rig.person, 'once only', { ...once, eventId: id('ev') });
    const seen = (): Promise<number> => counterOf(world.host, rig.cardId, channel, 'ignored.already_seen');
    await eventually(async () => (await seen()) === 1, 'the repeat under another event id');
    await world.host.restart();
    await resume();
    feishu.say(rig.person, 'once only', { ...once, messageId: id('om') });
    feishu.say(rig.person, 'and on');
    await heard('and on');
    expect(agent.messages.entries.map(({ text }) => text)).toEqual(['and on']);
    expect(await seen()).toBe(2);
  });

  it('brings what was written while it was down', async () => {
    await world.host.kill();
    await eventually(() => feishu.push.open === 0, 'the end of the line');
    feishu.say(rig.person, 'while you were away');
    await world.host.restart();
    await resume();
    await heard('while you were away');
  });

  it('hears its owner alone', async () => {
    feishu.say('ou_mallory', 'let me in');
    feishu.say(rig.person, 'to everybody', { chatType: 'group' });
    await rig.personSays('the owner speaks');
    await heard('the owner speaks');
    expect(agent.messages.entries.map(({ text }) => text)).toEqual(['the owner speaks']);
    expect(await counterOf(world.host, rig.cardId, channel, 'ignored.stranger')).toBe(1);
    expect(await counterOf(world.host, rig.cardId, channel, 'ignored.group')).toBe(1);
  });

  it('an answer is one message; its repeat is no second one', async () => {
    const text = id('answer');
    const messageId = id('a');
    expect((await agent.say(channel, text, { messageId })).payload?.['status']).toBe('accepted');
    expect((await agent.say(channel, text, { messageId })).payload?.['status']).toBe('duplicate');
    expect((await rig.visible()).filter((shown) => shown === text)).toHaveLength(1);
  });

  it('killed between the effect of an answer and its record, the repeat completes it and shows it once (B23)', async () => {
    const text = id('answer');
    const messageId = id('a');
    feishu.fail(CREATE, { kind: 'holdAfter' });
    agent.transmit(channel, text, { messageId });
    await eventually(() => feishu.world.visible().includes(text), 'the effect');
    await world.host.kill();
    await world.host.restart();
    await resume();
    expect((await agent.say(channel, text, { messageId })).payload).toMatchObject({ status: 'accepted' });
    expect((await rig.visible()).filter((shown) => shown === text)).toHaveLength(1);
  });

  it('the rate limit is waited out', async () => {
    feishu.fail(CREATE, { kind: 'refuse', code: 99991400, status: 400, resetS: 1 });
    const text = id('answer');
    expect((await agent.say(channel, text)).payload).toMatchObject({ status: 'accepted' });
    expect((await rig.visible()).at(-1)).toBe(text);
  });

  it('a streamed answer grows in one card and ends as the final text', async () => {
    const messageId = id('a');
    const tag = id('t');
    agent.delta(channel, messageId, 1, `${tag} once`);
    await eventually(() => feishu.world.visible().includes(`${tag} once`), 'the card');
    agent.delta(channel, messageId, 2, ' upon a time');
    const ack = await agent.say(channel, `${tag} once upon a time, the end`, { messageId });
    expect(ack.payload).toMatchObject({ status: 'accepted' });
    expect((await rig.visible()).filter((shown) => shown.startsWith(tag))).toEqual([
      `${tag} once upon a time, the end`,
    ]);
  });

  it('killed while an answer grows, it still ends as one', async () => {
    const messageId = id('a');
    const tag = id('t');
    agent.delta(channel, messageId, 1, `${tag} half`);
    await eventually(() => feishu.world.visible().includes(`${tag} half`), 'the card');
    await agent.settle();
    await world.host.restart();
    await resume();
    await agent.say(channel, `${tag} whole`, { messageId });
    expect((await rig.visible()).filter((shown) => shown.startsWith(tag))).toEqual([`${tag} whole`]);
  });

  it('a long answer is cut into messages that join to it', async () => {
    const before = (await rig.visible()).length;
    const text = Array.from({ length: 2_000 }, (_, i) => `word${i} 👨‍👩‍👧‍👦`).join(' ');
    expect((await agent.say(channel, text, { ms: 30_000 })).payload).toMatchObject({ status: 'accepted' });
    const parts = (await rig.visible()).slice(before);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join('')).toBe(text);
  });

  it('shows that the agent works, and takes it away, over a crash too', async () => {
    await rig.personSays('please');
    await heard('please');
    agent.activity(channel, { status: 'thinking' });
    await eventually(() => feishu.world.reactions.size === 1, 'typing');
    await agent.say(channel, 'done');
    await eventually(() => feishu.world.reactions.size === 0, 'the end of it');
    agent.activity(channel, { status: 'thinking' });
    await eventually(() => feishu.world.reactions.size === 1, 'typing again');
    await world.host.restart();
    await resume();
    await eventually(() => feishu.world.reactions.size === 0, 'the end of it after the crash');
  });

  it('carries files both ways', async () => {
    const inbound = randomBytes(200_000);
    const messageId = id('om');
    feishu.world.resources.set(`${messageId} key`, inbound);
    feishu.write(rig.person, 'file', { file_key: 'key', file_name: 'in.bin' }, { messageId });
    const message = await agent.messages.next(({ files }) => files.length === 1, 'the file');
    expect((await agent.files.download(message.files[0] ?? {})).equals(inbound)).toBe(true);
    const upload = await agent.files.upload(channel, { filename: 'out.pdf', content: '%PDF-1.4 the answer' });
    const ack = await agent.say(channel, 'see the file', { files: [{ type: 'file', file_ref: upload['file_ref'] }] });
    expect(ack.payload).toMatchObject({ status: 'accepted' });
    expect((await rig.visible()).slice(-2)).toEqual(['see the file', '[file out.pdf]']);
    await agent.tool(channel, rig.fileTool, { file_ref: upload['file_ref'], text: 'again' });
    expect((await rig.visible()).slice(-2)).toEqual(['again', '[file out.pdf]']);
  });

  it('keeps every secret, and every word, out of logs, packets and files', async () => {
    const words = id('words-of-the-person');
    await rig.personSays(words);
    await heard(words);
    feishu.fail(CREATE, { kind: 'garbage' });
    await agent.say(channel, 'an answer');
    const { connections } = feishu.push;
    feishu.push.cut();
    await eventually(() => feishu.push.connections > connections, 'a new line');
    await agent.untilStatus(channel, 'connected');
    const app = rig.app;
    const secrets = [API_KEY, PASSPHRASE, app?.appSecret ?? '?', `t-${app?.appId ?? '?'}`, 'the-secret-ticket'];
    const seen = [
      JSON.stringify(agent.received.entries),
      (await world.host.get('/status')).text,
      (await world.host.get('/metrics')).text,
    ].join('\n');
    const log = world.host.logs.entries.join('\n');
    for (const secret of secrets) {
      expect([secret, (seen + log).includes(secret)]).toEqual([secret, false]);
      expect([secret, await world.host.filesWith(secret)]).toEqual([secret, []]);
    }
    for (const piece of [words, 'secret upstream page', 'ws://'])
      expect([piece, log.includes(piece)]).toEqual([piece, false]);
  });

  it('an app that is gone is told as such, and another sign-in works', async () => {
    await eventually(() => feishu.push.open === 1, 'the line');
    feishu.apps.clear();
    feishu.push.cut();
    await agent.untilStatus(channel, 'revoked');
    await rig.signIn(agent, channel);
    await rig.personSays('back again');
    await heard('back again');
  });
});
