import { randomBytes } from 'node:crypto';
import jsQR from 'jsqr';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PERSON, textItem, type IlinkSimulator } from '../simulators/ilink/index.js';
import { ControlSocket } from '../support/control-socket.js';
import { decodePng } from '../support/decode-png.js';
import { eventually } from '../support/deadline.js';
import { API_KEY, PASSPHRASE } from '../support/host-process.js';
import { id, statusOf as descriptorStatusOf, type SpecAgent } from '../support/spec-agent.js';
import { channelStatus, counterOf } from '../support/status.js';
import { WechatNetwork } from '../support/wechat-network.js';
import { records } from '../support/wire-rules.js';
import { World } from '../support/world.js';

/** Replies that go out one by one, of the ten that the network takes. */
const SOFT_CAP = 8;
/** A sign-in polls once a second; milliseconds. */
const SIGN_IN_MS = 20_000;

describe('signing in to /wechat', () => {
  const rig = new WechatNetwork();
  let world: World;
  let ilink: IlinkSimulator;
  let agent: SpecAgent;
  let channel: string;

  beforeAll(async () => {
    world = await World.start(rig);
    ilink = rig.simulator;
  });
  beforeEach(async () => {
    agent = await world.agent();
    channel = (await agent.open()).channel;
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const statusOf = async (session: unknown, more: Record<string, unknown> = {}) =>
    (await agent.request('auth.status', { channel, payload: { auth_session_id: session, ...more } })).payload ?? {};

  it('shows a QR as text and as a picture that a phone reads', async () => {
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: rig.flowId } });
    expect(ack.payload).toMatchObject({ status: 'pending', qr_code_text: ilink.logins.qr.text });
    const image = decodePng(Buffer.from(String(ack.payload?.['qr_code_image']).split(',')[1] ?? '', 'base64'));
    expect(jsQR(image.data, image.width, image.height)?.data).toBe(ilink.logins.qr.text);
    expect(Number(ack.payload?.['expires_at'])).toBeGreaterThan(Date.now());
    await agent.request('auth.cancel', { channel, payload: { auth_session_id: ack.payload?.['auth_session_id'] } });
  });

  it('is pushed as the channel being authenticated, and as created again when it is canceled', async () => {
    const from = agent.received.mark;
    await agent.request('auth.start', { channel, payload: { flow_id: rig.flowId } });
    await agent.request('auth.cancel', { channel });
    await agent.settle();
    const pushed = agent.received
      .since(from)
      .filter((packet) => packet.type === 'connection.descriptor.push')
      .map((packet) => descriptorStatusOf(packet.payload?.['connection_descriptor']));
    expect(pushed).toEqual(['authenticating', 'created']);
  });

  it('asks for the verify code in words and in a field, takes it by auth.status, and ends authenticated', async () => {
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: rig.flowId } });
    const session = ack.payload?.['auth_session_id'];
    ilink.logins.demandCode('2846');
    const asked = await eventually(async () => {
      const status = await statusOf(session);
      return status['input_required'] === undefined ? undefined : status;
    }, 'the question');
    expect(asked).toMatchObject({ status: 'pending', input_required: ['verify_code'] });
    expect(String(asked['message'])).toMatch(/verify code/i);
    await statusOf(session, { input: { verify_code: '0000' } });
    await eventually(async () => String((await statusOf(session))['message']).includes('not accepted'), 'the refusal');
    await statusOf(session, { input: { verify_code: '2846' } });
    await eventually(async () => (await statusOf(session))['status'] === 'scanned', 'the scan', SIGN_IN_MS);
    ilink.logins.confirm(PERSON);
    await eventually(async () => (await statusOf(session))['status'] === 'authenticated', 'the end', SIGN_IN_MS);
    await agent.untilStatus(channel, 'connected');
    await world.signOut(agent, channel);
  });

  it('takes the verify code from the window as well, for an agent may have no field for it', async () => {
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: rig.flowId } });
    const session = String(ack.payload?.['auth_session_id']);
    const window = await ControlSocket.open(world.host.dataDir);
    const questions = async () => {
      const { connectors } = await window.command('snapshot');
      return records(records(connectors).find(({ name }) => name === 'wechat')?.['questions']);
    };
    try {
      expect(await questions()).toEqual([]);
      ilink.logins.demandCode('2846');
      await eventually(async () => (await questions()).length === 1, 'the question');
      expect(await questions()).toEqual([{ authSessionId: session, code: 'verify_code', fields: ['verify_code'] }]);
      const answer = { connector: 'wechat', authSessionId: session, input: { verify_code: '2846' } };
      await window.command('sign-in-input', answer);
      await eventually(async () => (await statusOf(session))['status'] === 'scanned', 'the scan', SIGN_IN_MS);
      expect(await questions()).toEqual([]);
    } finally {
      window.close();
      await agent.request('auth.cancel', { channel, payload: { auth_session_id: session } });
    }
  });

  it('8.2: is found again by an agent whose connection was cut while the QR was shown, and the same code still binds', async () => {
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: rig.flowId } });
    const session = ack.payload?.['auth_session_id'];
    agent.crash();
    agent = await world.agent({ connectorId: agent.connectorId });
    expect(await agent.open(channel)).toMatchObject({
      channel,
      descriptor: { connection: { status: 'authenticating' } },
    });
    expect(await statusOf(session)).toMatchObject({ status: 'pending', qr_code_text: ack.payload?.['qr_code_text'] });
    ilink.logins.confirm(PERSON);
    await eventually(async () => (await statusOf(session))['status'] === 'authenticated', 'the end', SIGN_IN_MS);
    await agent.untilStatus(channel, 'connected');
    await world.signOut(agent, channel);
  });

  it('gives a new QR when asked for one, and an answer about the old one binds nobody', async () => {
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: rig.flowId } });
    const session = ack.payload?.['auth_session_id'];
    const old = ilink.logins.qr;
    const fresh = await statusOf(session, { refresh: true });
    expect(fresh['qr_code_text']).toBe(ilink.logins.qr.text);
    expect(fresh['qr_code_text']).not.toBe(old.text);
    ilink.logins.confirm('somebody@im.wechat', old);
    ilink.logins.scan();
    await eventually(
      async () => (await statusOf(session))['status'] === 'scanned',
      'the scan of the new one',
      SIGN_IN_MS,
    );
    await agent.request('auth.cancel', { channel, payload: { auth_session_id: session } });
  });
});

describe('a conversation over /wechat', () => {
  const rig = new WechatNetwork();
  let world: World;
  let ilink: IlinkSimulator;
  let agent: SpecAgent;
  let channel: string;

  beforeAll(async () => {
    world = await World.start(rig, { delivery: { ackTimeoutMs: 2_000, retryInitialMs: 100, retryMaxMs: 400 } });
    ilink = rig.simulator;
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

  /** The person writes, which opens the conversation anew. */
  const opened = async (words = id('words')) => {
    await rig.personSays(words);
    return agent.messages.next((message) => message.text === words, 'the message');
  };

  it('takes words byte for byte and brings the answer back', async () => {
    await opened(' 你好 👩🏽‍🚀\n<b>& "message_id":1');
    const ack = await agent.say(channel, 'an answer');
    expect(ack.payload).toMatchObject({ status: 'accepted' });
    expect((await rig.visible()).at(-1)).toBe('an answer');
  });

  it('takes the same message once, whatever token it brings', async () => {
    const entry = ilink.entry([textItem('once only')]);
    ilink.inbox.push(entry);
    await agent.messages.next((message) => message.text === 'once only', 'the message');
    ilink.inbox.push({ ...entry, context_token: 'another' });
    await opened();
    expect(agent.messages.entries.filter(({ text }) => text === 'once only')).toHaveLength(1);
    expect(await counterOf(world.host, rig.cardId, channel, 'ignored.already_seen')).toBe(1);
  });

  it('shows that the agent works, and that it is done', async () => {
    await opened();
    agent.activity(channel, { status: 'thinking' });
    await eventually(() => rig.sawTyping(), 'typing');
    await agent.say(channel, 'done');
    await eventually(() => !ilink.phone.isTyping, 'the end of it');
  });

  it('carries files both ways, encrypted between', async () => {
    const inbound = randomBytes(200_000);
    ilink.sendFile(inbound, 'in.bin');
    const message = await agent.messages.next(({ files }) => files.length === 1, 'the file');
    const bytes = await agent.files.download(message.files[0] ?? {});
    expect(bytes.equals(inbound)).toBe(true);
    const upload = await agent.files.upload(channel, { filename: 'out.pdf', content: '%PDF-1.4 the answer' });
    const ack = await agent.say(channel, 'see the file', { files: [{ type: 'file', file_ref: upload['file_ref'] }] });
    expect(ack.payload).toMatchObject({ status: 'accepted' });
    expect(ilink.phone.shown.at(-1)).toMatchObject({ kind: 'file', name: 'out.pdf' });
    expect(ilink.phone.shown.at(-1)?.bytes?.toString()).toBe('%PDF-1.4 the answer');
    expect((await rig.visible()).at(-2)).toBe('see the file');
  });

  it('says in words and for good that the person has to write first, and goes on when they do', async () => {
    await opened();
    ilink.phone.left = 0;
    const refused = await agent.say(channel, 'unasked');
    expect(refused.payload).toMatchObject({ status: 'rejected', code: 'reply_window', retryable: false });
    expect(String(refused.payload?.['message'])).toMatch(/person has to write first/);
    await opened();
    expect((await agent.say(channel, 'now')).payload).toMatchObject({ status: 'accepted' });
    expect(await rig.visible()).not.toContain('unasked');
  });

  it('keeps what meets a closed window, says so, and sends it once and in order when the person writes', async () => {
    await opened();
    ilink.phone.left = 0;
    await agent.say(channel, 'the refusal that closes it');
    const calls = ilink.callsOf('sendmessage').length;
    const [notice, answer] = [id('notice'), id('answer')];
    const context = { session_id: id('session'), tool_call_id: id('call') };
    const held = await agent.tool(channel, rig.messageTool, { text: notice }, { context });
    expect(held.payload).toMatchObject({ result: { status: 'held', reason: 'reply_window_closed' } });
    const messageId = id('a');
    const later = await agent.say(channel, answer, { messageId });
    expect(later.payload).toMatchObject({ status: 'rejected', code: 'reply_window_closed', retryable: true });
    expect(String(later.payload?.['message'])).toMatch(/person has to write first/);
    expect(await channelStatus(world.host, rig.cardId, channel)).toMatchObject({ held_replies: 2 });
    expect(ilink.callsOf('sendmessage')).toHaveLength(calls);
    await opened();
    await eventually(async () => (await rig.visible()).at(-1) === answer, 'the held answer');
    expect((await rig.visible()).slice(-2)).toEqual([notice, answer]);
    expect((await agent.say(channel, answer, { messageId })).payload).toMatchObject({ status: 'duplicate' });
    const repeat = await agent.tool(channel, rig.messageTool, { text: notice }, { context });
    expect(repeat.payload).toMatchObject({ result: { status: 'sent' } });
    await agent.settle();
    expect((await rig.visible()).filter((shown) => shown === notice || shown === answer)).toHaveLength(2);
    expect(await channelStatus(world.host, rig.cardId, channel)).toMatchObject({ held_replies: 0 });
  });

  it('over the soft cap makes one message of what an agent says in a run, and keeps a reply for its end', async () => {
    await opened();
    for (let n = 1; n <= SOFT_CAP; n += 1) await agent.say(channel, `${n}`);
    const shown = (await rig.visible()).length;
    agent.activity(channel, { status: 'thinking' });
    const held = await agent.tool(channel, rig.messageTool, { text: 'a notice' });
    expect(held.payload).toMatchObject({ result: { status: 'held', reason: 'replies_scarce' } });
    const acks = [agent.say(channel, 'nearly', { ms: 30_000 }), agent.say(channel, 'the end', { ms: 30_000 })];
    await agent.settle();
    agent.activity(channel, { status: 'idle' });
    for (const ack of await Promise.all(acks)) expect(ack.payload).toMatchObject({ status: 'accepted' });
    expect((await rig.visible()).slice(shown)).toEqual(['a notice\n\nnearly\n\nthe end']);
    expect(ilink.phone.left).toBe(1);
  });

  it('knows no repeat of an answer whose fate is unknown', async () => {
    await opened();
    const messageId = id('a');
    ilink.faults.add('sendmessage', { kind: 'cutAfter' });
    const first = await agent.say(channel, `doubt ${messageId}`, { messageId, ms: 30_000 });
    expect(first.payload).toMatchObject({ status: 'rejected', code: 'delivery_unknown', retryable: false });
    const second = await agent.say(channel, `doubt ${messageId}`, { messageId });
    expect(second.payload).toMatchObject({ code: 'delivery_unknown' });
    expect((await rig.visible()).filter((text) => text === `doubt ${messageId}`)).toHaveLength(1);
  });

  it('keeps every secret: no token, no key, in no packet, log line, answer or file', async () => {
    await opened();
    ilink.sendImage(randomBytes(64), 'hexField');
    await agent.messages.next(({ files }) => files.length === 1, 'the picture');
    await agent.say(channel, 'an answer');
    const upload = await agent.files.upload(channel, { filename: 'k.txt', content: 'x' });
    await agent.tool(channel, rig.fileTool, { file_ref: upload['file_ref'] });
    const keys = ilink.callsOf('getuploadurl').map(({ body }) => String(body['aeskey']));
    const uploads = ilink
      .callsOf('sendmessage')
      .flatMap(({ body }) => JSON.stringify(body).match(/down param[^"]+/g) ?? []);
    const tokens = ilink.logins.bots.flatMap(({ token }) => [token, token.split(':')[1] ?? '']);
    const secrets = [
      API_KEY,
      PASSPHRASE,
      ...tokens,
      'context-token-canary',
      ilink.logins.qr.handle,
      ...keys,
      ...uploads,
    ];
    expect(secrets.length).toBeGreaterThan(6);
    const seen = [
      world.host.logs.entries.join('\n'),
      JSON.stringify(agent.received.entries),
      (await world.host.get('/status')).text,
      (await world.host.get('/metrics')).text,
    ].join('\n');
    for (const secret of [...secrets, ...ilink.cdn.inboundKeys]) {
      expect([secret, seen.includes(secret)]).toEqual([secret, false]);
      expect([secret, await world.host.filesWith(secret)]).toEqual([secret, []]);
    }
  });

  it('taken over elsewhere is told once, as an expired sign-in, and polling ends (B01)', async () => {
    const from = agent.received.mark;
    ilink.logins.rebind(PERSON);
    ilink.cutPolls();
    await agent.untilStatus(channel, 'expired');
    const polls = ilink.callsOf('getupdates').length;
    const status = await channelStatus(world.host, rig.cardId, channel);
    expect(JSON.stringify(status)).toContain('taken_over');
    await agent.settle();
    const told = agent.received
      .since(from)
      .filter((p) => p.type === 'connection.descriptor.push' && JSON.stringify(p.payload).includes('"expired"'));
    expect(told).toHaveLength(1);
    expect(ilink.callsOf('getupdates')).toHaveLength(polls);
    // An answer can't be sent by trying again, also not when nothing of the account is open after a restart.
    await world.host.restart();
    await rig.attach();
    agent = await world.agent({ connectorId: agent.connectorId });
    await agent.open(channel);
    expect((await agent.say(channel, 'to nobody')).payload).toMatchObject({
      status: 'rejected',
      code: 'connection_not_authenticated',
      retryable: false,
    });
    // The same person signs in again: the same account goes on.
    await rig.signIn(agent, channel);
    await agent.untilStatus(channel, 'connected');
    await opened();
    expect((await agent.say(channel, 'back again')).payload).toMatchObject({ status: 'accepted' });
  });
});
