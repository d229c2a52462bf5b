import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/support/deadline.js';
import { FakeConnector } from '../../../test/support/fake-connector.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ServerRig, type RigOptions, type TestAgent } from '../../../test/support/server-rig.js';
import { ProtocolError } from '../../base/errors.js';
import { AckError } from '../../connector/connector.js';
import { PACKET_SCHEMA, type AuthAckPayload } from '../../protocol/index.js';

describe('the data plane', () => {
  let rig: ServerRig | undefined;
  const start = async (setup?: RigOptions): Promise<ServerRig> => (rig = await ServerRig.start(setup));
  afterEach(async () => {
    await rig?.stop();
    rig = undefined;
  });

  describe('before hello', () => {
    it.each(['ping', 'pong', 'channel.open', 'chat.message', 'chat.message.ack', 'no.such.type'])(
      '%s is hello_required, and a hello still works',
      async (type) => {
        const agent = await (await start()).agent({ hello: false });
        const answer = await agent.request({ type, request_id: 'r', connector_channel_id: 'c' });
        expect(answer).toMatchObject({ type: 'error', request_id: 'r', error: { code: 'hello_required' } });
        expect((await agent.hello()).type).toBe('connector.hello.ack');
      },
    );

    it('an error is not answered with an error', async () => {
      const agent = await (await start()).agent({ hello: false });
      agent.send({ type: 'error', error: { code: 'x' } });
      await agent.hello();
      expect(agent.received.entries.map((packet) => packet.type)).toEqual(['connector.hello.ack']);
    });

    it('ten packets are answered, then the socket is closed', async () => {
      const agent = await (await start()).agent({ hello: false });
      for (let i = 0; i < 15; i += 1) agent.send({ type: 'ping' });
      expect((await agent.closed).code).toBe(1008);
      expect(agent.received.entries).toHaveLength(10);
    });

    it('noise counts as packets', async () => {
      const agent = await (await start()).agent({ hello: false });
      for (let i = 0; i < 10; i += 1) agent.socket.send('noise');
      expect((await agent.closed).code).toBe(1008);
    });

    it('a socket without hello is closed after its time, one with hello is not', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, options: { helloTimeoutMs: 30_000, pingIntervalMs: 1_000_000 } });
      const mute = await started.agent({ hello: false });
      const polite = await started.agent();
      await clock.advance(29_999);
      await polite.settle();
      expect(mute.socket.readyState).toBe(WebSocket.OPEN);
      await clock.advance(1);
      expect(await mute.closed).toEqual({ code: 1008, reason: 'no hello in time' });
      await clock.advance(100_000);
      await polite.settle();
    });
  });

  describe('hello', () => {
    it('is answered with what the connector says, and counts the link', async () => {
      const started = await start();
      const agent = await started.agent({ hello: false });
      const ack = await agent.hello(undefined, {});
      expect(ack).toMatchObject({
        type: 'connector.hello.ack',
        payload: { connector_card_id: 'im.alpha', connector_id: 'conn_fake', protocol_version: '3.0' },
      });
      expect(started.connector.lastLink).toMatchObject({ open: true, profiles: ['xagent.im.v2'] });
    });

    it('rejected is an error and leaves the socket open; three in a row close it', async () => {
      const agent = await (await start()).agent({ hello: false });
      expect((await agent.hello([], { protocol_version: '2.0' })).error?.code).toBe('protocol_version_unsupported');
      expect((await agent.hello([], { connector_card_id: 'im.beta' })).error?.code).toBe('connector_card_id_mismatch');
      expect((await agent.hello()).type).toBe('connector.hello.ack');
      for (const bad of [{ supported_profiles: 'x' }, { supported_profiles: null }, { connector_card_id: '' }]) {
        expect((await agent.hello([], bad)).error?.code).toBe('invalid_packet');
      }
      expect((await agent.closed).code).toBe(1008);
    });

    it('may be repeated', async () => {
      const started = await start();
      const agent = await started.agent();
      expect((await agent.hello()).type).toBe('connector.hello.ack');
      expect(started.connector.dataPlanes).toBe(1);
    });

    it('of a socket that goes is told to its connector once; of one that never said hello, never', async () => {
      const started = await start();
      const agent = await started.agent();
      const mute = await started.agent({ hello: false });
      const link = started.connector.lastLink;
      agent.socket.terminate();
      mute.socket.terminate();
      await eventually(() => started.connector.gone.length > 0, 'the connector to hear of it');
      await (await started.agent()).settle();
      expect(started.connector.gone).toEqual([link]);
      expect(link.open).toBe(false);
    });
  });

  describe('envelopes', () => {
    it('answers carry request_id as it came, reply_to, channel and time', async () => {
      const clock = new ManualClock();
      const agent = await (await start({ clock })).agent();
      const channel = await agent.open();
      const sent = agent.send({
        type: 'connection.descriptor.get',
        request_id: ' r/1 ',
        connector_channel_id: channel,
      });
      const ack = await agent.received.next((packet) => packet.reply_to === sent.packet_id, 'ack');
      expect(ack).toMatchObject({
        type: 'connection.descriptor.get.ack',
        request_id: ' r/1 ',
        connector_channel_id: channel,
        time: clock.now(),
        payload: { connection_descriptor: { connection: { connector_channel_id: channel } } },
      });
      expect(await agent.request({ type: 'ping' })).not.toHaveProperty('request_id');
    });

    it.each([
      ['noise', 'noise'],
      ['an array', '[]'],
      ['another schema', JSON.stringify({ schema: 'x', packet_id: 'p', type: 'ping' })],
      [
        'deep nesting',
        `{"schema":"${PACKET_SCHEMA}","packet_id":"p","type":"ping","payload":{"a":${'['.repeat(99)}${']'.repeat(99)}}}`,
      ],
    ])('%s is invalid_packet, and the socket lives on', async (_what, text) => {
      const agent = await (await start()).agent();
      const from = agent.received.mark;
      agent.socket.send(text);
      const answer = await agent.received.next((packet) => packet.type === 'error', 'error', { from });
      expect(answer.error?.code).toBe('invalid_packet');
      await agent.settle();
    });

    it('a binary frame is invalid_packet and does nothing', async () => {
      const agent = await (await start()).agent();
      agent.socket.send(Buffer.from(JSON.stringify({ schema: PACKET_SCHEMA, packet_id: 'bin', type: 'ping' })));
      await agent.settle();
      expect(agent.received.entries.map((packet) => packet.error?.code ?? packet.type)).toEqual([
        'connector.hello.ack',
        'invalid_packet',
        'pong',
      ]);
    });

    it('a packet beyond maxPacketBytes closes with 1009', async () => {
      const agent = await (await start({ options: { maxPacketBytes: 1_000 } })).agent();
      agent.socket.send('x'.repeat(1_001));
      expect((await agent.closed).code).toBe(1009);
    });

    it.each([
      'no.such.type',
      'connection.descriptor.push',
      'message.push',
      'tool.progress.push',
      'constructor',
      '__proto__',
    ])('%s is unsupported_packet', async (type) => {
      const agent = await (await start()).agent();
      expect((await agent.request({ type })).error?.code).toBe('unsupported_packet');
    });

    it('answers to nothing are ignored', async () => {
      const agent = await (await start()).agent();
      const from = agent.received.mark;
      for (const type of [
        'pong',
        'error',
        'connector.hello.ack',
        'channel.open.ack',
        'tool.invoke.ack',
        'auth.logout.ack',
      ]) {
        agent.send({ type, reply_to: 'x' });
      }
      await agent.settle();
      expect(agent.received.since(from).map((packet) => packet.type)).toEqual(['pong']);
    });
  });

  describe('requests', () => {
    it.each([
      'channel.close',
      'auth.start',
      'auth.status',
      'auth.cancel',
      'auth.logout',
      'connection.descriptor.get',
      'tool.invoke',
    ])(
      '%s without a channel is connector_channel_id_required, on an unknown one whatever the connector says',
      async (type) => {
        const agent = await (await start()).agent();
        for (const channel of [undefined, null, '']) {
          const answer = await agent.request({ type, connector_channel_id: channel, payload: { tool_id: 't' } });
          expect([answer.type, answer.error?.code]).toEqual(['error', 'connector_channel_id_required']);
        }
        if (type === 'channel.close') return;
        const unknown = await agent.request({ type, connector_channel_id: 'cch_x', payload: { tool_id: 't' } });
        expect([unknown.type, unknown.error?.code]).toEqual(['error', 'connection_not_found']);
      },
    );

    it('each gets its ack', async () => {
      const agent = await (await start()).agent();
      const opened = await agent.request({ type: 'channel.open' });
      const channel = String(opened.payload?.['connector_channel_id']);
      expect(opened).toMatchObject({
        type: 'channel.open.ack',
        connector_channel_id: channel,
        payload: { connection_descriptor: { schema: 'xagent.connection/v2' } },
      });
      for (const [type, payload] of [
        ['auth.start', { flow_id: 'fake_login' }],
        ['auth.status', {}],
        ['auth.cancel', { auth_session_id: 'a' }],
        ['auth.logout', undefined],
        ['tool.invoke', { tool_id: 'alpha_message_send', arguments: { text: 'x' } }],
        ['channel.close', null],
      ] as const) {
        const ack = await agent.request({ type, connector_channel_id: channel, payload, request_id: type });
        expect(ack).toMatchObject({ type: `${type}.ack`, request_id: type, connector_channel_id: channel });
        expect(ack).not.toHaveProperty('error');
      }
    });

    it('a tool call gets its request id, so that the connector can tell repeats', async () => {
      const started = await start();
      const agent = await started.agent();
      const channel = await agent.open();
      await agent.request({
        type: 'tool.invoke',
        request_id: 'r9',
        connector_channel_id: channel,
        payload: { tool_id: 't' },
      });
      expect(started.connector.calls.at(-1)).toMatchObject({ method: 'invokeTool', requestId: 'r9' });
    });

    it.each([
      ['auth.start', { input: 7 }],
      ['auth.status', { refresh: 'yes' }],
      ['auth.cancel', { auth_session_id: 7 }],
      ['tool.invoke', {}],
      ['tool.invoke', { tool_id: 't', arguments: [] }],
    ])('%s with payload %j is invalid_packet, without the value in its words', async (type, payload) => {
      const agent = await (await start()).agent();
      const channel = await agent.open();
      const answer = await agent.request({ type, connector_channel_id: channel, payload });
      expect([answer.type, answer.error?.code]).toEqual(['error', 'invalid_packet']);
    });

    it("what failed as business is the ack's error, what broke the protocol an error, what broke here says nothing", async () => {
      const started = await start();
      const agent = await started.agent();
      const channel = await agent.open();
      const outcomes = [
        new AckError('tool_invoke_failed', 'no such person'),
        new ProtocolError('channel_not_open', 'open it first'),
        new Error('password is hunter2'),
      ];
      const answers = [];
      for (const error of outcomes) {
        started.connector.onInvoke = () => Promise.reject(error);
        answers.push(
          await agent.request({ type: 'tool.invoke', connector_channel_id: channel, payload: { tool_id: 't' } }),
        );
      }
      expect(answers.map(({ type, error }) => [type, error])).toEqual([
        ['tool.invoke.ack', { code: 'tool_invoke_failed', message: 'no such person' }],
        ['error', { code: 'channel_not_open', message: 'open it first' }],
        ['tool.invoke.ack', { code: 'internal_error', message: 'the request could not be handled' }],
      ]);
      for (const answer of answers) expect(answer).not.toHaveProperty('payload');
    });

    it('a slow sign-in holds up neither pings nor other requests, and is answered when done', async () => {
      const started = await start();
      const agent = await started.agent();
      const channel = await agent.open();
      let finish: ((ack: AuthAckPayload) => void) | undefined;
      started.connector.onAuthStart = () => new Promise((resolve) => (finish = resolve));
      const slow = agent.request({ type: 'auth.start', connector_channel_id: channel });
      await agent.settle();
      await agent.request({ type: 'channel.open' });
      finish?.({ connector_channel_id: channel, status: 'pending' });
      expect((await slow).payload).toMatchObject({ status: 'pending' });
    });

    it('a thousand pipelined pings are answered in order', async () => {
      const agent = await (await start()).agent();
      const from = agent.received.mark;
      for (let i = 0; i < 1_000; i += 1) agent.send({ type: 'ping', request_id: String(i) });
      await agent.received.next((packet) => packet.request_id === '999', 'the last pong', { from });
      expect(agent.received.since(from).map((packet) => Number(packet.request_id))).toEqual([...Array(1_000).keys()]);
    });

    it('pushed descriptors reach a socket after hello only', async () => {
      const started = await start();
      const agent = await started.agent();
      const link = started.connector.lastLink;
      link.pushDescriptor('cch_1', started.connector.describe('cch_1'));
      const push = await agent.received.next((packet) => packet.type === 'connection.descriptor.push', 'push');
      expect(push).toMatchObject({
        connector_channel_id: 'cch_1',
        payload: { connection_descriptor: expect.any(Object) },
      });
      expect(push).not.toHaveProperty('reply_to');
      agent.socket.terminate();
      await eventually(() => !link.open, 'the link to close');
      link.pushDescriptor('cch_1', started.connector.describe('cch_1'));
    });
  });

  describe('a peer that floods or does not read', () => {
    it('with too many requests running is not read until half are done', async () => {
      const started = await start({ dataPlane: { maxInFlight: 10 } });
      const agent = await started.agent();
      const release: (() => void)[] = [];
      started.connector.onOpen = () => new Promise((resolve) => release.push(resolve));
      for (let i = 0; i < 10; i += 1) agent.send({ type: 'channel.open' });
      await eventually(() => release.length === 10, 'ten requests to run');
      for (let i = 0; i < 20; i += 1) agent.send({ type: 'channel.open' });
      await (await started.agent()).settle();
      expect(release).toHaveLength(10);
      for (const done of release.splice(0, 5)) done();
      await eventually(() => release.length > 5, 'reading to go on');
      for (let done = release.pop(); done; done = release.pop()) {
        done();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(() => {
        for (const done of release.splice(0)) done();
        return agent.received.entries.filter((packet) => packet.type === 'channel.open.ack').length === 30;
      }, 'all thirty to be answered');
    });

    it('is held by the bytes of running requests too', async () => {
      const started = await start({ dataPlane: { maxInFlightBytes: 100_000 } });
      const agent = await started.agent();
      const release: (() => void)[] = [];
      started.connector.onOpen = () => new Promise((resolve) => release.push(resolve));
      agent.send({ type: 'channel.open', payload: { filler: 'x'.repeat(150_000) } });
      await eventually(() => release.length === 1, 'the big one to run');
      agent.send({ type: 'ping', request_id: 'late' });
      await (await started.agent()).settle();
      expect(agent.received.entries.some((packet) => packet.request_id === 'late')).toBe(false);
      release.pop()?.();
      await agent.received.next((packet) => packet.request_id === 'late', 'the late pong');
    });

    it('that sends but never reads is held back, then cut by the heartbeat; memory stays bounded', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, options: { pingIntervalMs: 25_000, helloTimeoutMs: 1e9 } });
      const deaf = await deafSocket(started);
      await eventually(() => started.connector.dataPlanes === 1, 'hello');
      const link = started.connector.lastLink;
      const ping = frame(
        JSON.stringify({ schema: PACKET_SCHEMA, packet_id: 'p', request_id: 'r'.repeat(20_000), type: 'ping' }),
      );
      const before = process.memoryUsage().rss;
      let written = 0;
      // Each answer is as long as its question: were they all kept, this would be two gigabytes.
      for (; written < 100_000; written += 1) {
        if (deaf.write(ping)) continue;
        const drained = await Promise.race([
          new Promise((resolve) => deaf.once('drain', () => resolve(true))),
          new Promise((resolve) => setTimeout(() => resolve(false), 500)),
        ]);
        if (drained === false) break;
      }
      expect(written).toBeLessThan(100_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);

      const offered = link.upstream('cch_1').transmit({
        accountId: 'a',
        messageId: 'm',
        text: 'x',
        files: [],
        message: { id: 'm', text: 'x', attachments: [], sender: { id: 's' }, conversation: { id: 'c', type: 'p2p' } },
        receivedAt: 0,
      });
      await expect(offered).rejects.toMatchObject({
        name: 'TransportError',
        code: 'agent_not_reading',
        effect: 'none',
      });
      await (await started.agent()).settle();

      await clock.advance(75_000);
      await eventually(() => !link.open, 'the socket to be cut');
      deaf.destroy();
    });

    it('is cut at the hard mark, where only pushes can bring it', async () => {
      const started = await start({ dataPlane: { softBufferBytes: 100_000, hardBufferBytes: 1_000_000 } });
      const deaf = await deafSocket(started);
      await eventually(() => started.connector.dataPlanes === 1, 'hello');
      const link = started.connector.lastLink;
      const descriptor = started.connector.describe('cch_1');
      const fat = { ...descriptor, target: { ...descriptor.target, display_name: 'x'.repeat(100_000) } };
      for (let i = 0; i < 1_000 && link.open; i += 1) {
        link.pushDescriptor('cch_1', fat);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(link.open).toBe(false);
      deaf.destroy();
    });
  });

  describe('half-open sockets', () => {
    it('are cut after two missed pings and no longer count', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, options: { pingIntervalMs: 25_000 } });
      const dead = await started.agent({ socket: { headers: started.bearer, autoPong: false } });
      const alive = await started.agent();
      for (let i = 0; i < 3; i += 1) {
        await clock.advance(25_000);
        await alive.settle();
      }
      expect((await dead.closed).code).toBe(1006);
      await eventually(() => started.connector.dataPlanes === 1, 'the dead one to be forgotten');
      expect(started.connector.lastLink.open).toBe(true);
    });
  });

  describe('endings', () => {
    it('a rotated key closes every socket at once; the old key is no longer let in', async () => {
      const started = await start();
      const agents: TestAgent[] = [];
      for (const connector of started.connectors) agents.push(await started.agent({ connector }));
      const mute = await started.agent({ hello: false });
      const old = started.bearer;
      started.rotate('another-key');
      expect(started.connectors.map((connector) => connector.dataPlanes)).toEqual([0, 0]);
      for (const agent of [...agents, mute]) {
        expect(await agent.closed).toEqual({ code: 1008, reason: 'api key rotated' });
      }
      await expect(started.agent({ socket: { headers: old } })).rejects.toThrow('401');
      await (await started.agent()).settle();
    });

    it('a peer that does not answer the closing handshake is cut', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, limits: { closeMs: 1_000 } });
      const deaf = await deafSocket(started);
      await eventually(() => started.connector.dataPlanes === 1, 'hello');
      const closed = new Promise((resolve) => deaf.on('close', resolve).resume());
      started.rotate('another-key');
      await clock.advance(1_000);
      await closed;
    });

    it('closing lets what runs finish, takes nothing new, and says 1001', async () => {
      const started = await start();
      const agent = await started.agent();
      const channel = await agent.open();
      const link = started.connector.lastLink;
      let finish: (() => void) | undefined;
      started.connector.onInvoke = () => new Promise((resolve) => (finish = () => resolve({ status: 'sent' })));
      const running = agent.request({ type: 'tool.invoke', connector_channel_id: channel, payload: { tool_id: 't' } });
      await agent.settle();
      const closing = started.server.close();
      agent.send({ type: 'ping', request_id: 'too late' });
      expect(link.open).toBe(false);
      finish?.();
      expect((await running).type).toBe('tool.invoke.ack');
      expect((await agent.closed).code).toBe(1001);
      await closing;
      expect(agent.received.entries.some((packet) => packet.request_id === 'too late')).toBe(false);
    });

    it('closing waits for nobody longer than its limits', async () => {
      const clock = new ManualClock();
      const started = await start({ clock, limits: { drainMs: 1_500, closeMs: 1_000 } });
      const agent = await started.agent();
      const channel = await agent.open();
      started.connector.onInvoke = () => new Promise(() => undefined);
      agent.send({ type: 'tool.invoke', connector_channel_id: channel, payload: { tool_id: 't' } });
      await agent.settle();
      const closing = started.server.close();
      await clock.advance(1_500);
      expect((await agent.closed).code).toBe(1001);
      await clock.advance(1_000);
      await clock.advance(1_000);
      await closing;
    });
  });

  it("connectors do not see each other's sockets", async () => {
    const started = await start({ connectors: [new FakeConnector('alpha'), new FakeConnector('beta')] });
    const [alpha, beta] = started.connectors;
    const agent = await started.agent({ connector: beta! });
    expect([alpha?.dataPlanes, beta?.dataPlanes]).toEqual([0, 1]);
    expect((await agent.hello([], { connector_card_id: 'im.alpha' })).error?.code).toBe('connector_card_id_mismatch');
  });
});

/** A client that says hello and then never reads a byte. */
async function deafSocket(rig: ServerRig): Promise<Socket> {
  const socket = connect(rig.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET /alpha/ws HTTP/1.1\r\nHost: 127.0.0.1:${rig.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nAuthorization: ${rig.bearer.authorization}\r\n\r\n`,
  );
  const head = await new Promise<string>((resolve) =>
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  expect(head).toContain(createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64'));
  socket.pause();
  const payload = { connector_card_id: 'im.alpha', protocol_version: '3.0', supported_profiles: ['xagent.im.v2'] };
  socket.write(frame(JSON.stringify({ schema: PACKET_SCHEMA, packet_id: 'h', type: 'connector.hello', payload })));
  return socket;
}

/** One text frame with an all-zero mask (RFC 6455 section 5). */
function frame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}
