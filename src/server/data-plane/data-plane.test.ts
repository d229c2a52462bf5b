import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/deadline.js';
import { FakeConnector } from '../../../test/support/fake-connector.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ServerRig, type RigOptions } from '../../../test/support/server-rig.js';
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

  it("connectors do not see each other's sockets", async () => {
    const started = await start({ connectors: [new FakeConnector('alpha'), new FakeConnector('beta')] });
    const [alpha, beta] = started.connectors;
    const agent = await started.agent({ connector: beta! });
    expect([alpha?.dataPlanes, beta?.dataPlanes]).toEqual([0, 1]);
    expect((await agent.hello([], { connector_card_id: 'im.alpha' })).error?.code).toBe('connector_card_id_mismatch');
  });
});
