import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LocalRig } from '../support/local-rig.js';
import { id } from '../support/spec-agent.js';
import { World } from '../support/world.js';

describe('packet envelope and errors (sections 6, 7, 8.22, 8.23)', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(new LocalRig());
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const good = (): Record<string, unknown> => ({
    schema: 'xagent.connector.packet/v1',
    packet_id: id('pkt'),
    request_id: id('req'),
    type: 'ping',
  });

  it.each([
    ['not JSON', 'hello'],
    ['half JSON', '{"schema":'],
    ['an array', '[]'],
    ['a number', '7'],
    ['null', 'null'],
    ['an empty frame', ''],
  ])('%s is invalid_packet and the socket lives on', async (_what, frame) => {
    const agent = await world.agent();
    const from = agent.received.mark;
    agent.sendRaw(frame);
    const answer = await agent.received.next((packet) => packet.type === 'error', 'error', { from });
    expect(answer.error?.code).toBe('invalid_packet');
    await agent.settle();
  });

  it.each([
    ['no schema', { schema: undefined }],
    ['another schema', { schema: 'xagent.connector.packet/v2' }],
    ['no type', { type: undefined }],
    ['empty type', { type: '' }],
    ['type of another kind', { type: 7 }],
    ['no packet_id', { packet_id: undefined }],
    ['empty packet_id', { packet_id: '' }],
    ['a payload that is an array', { payload: [] }],
    ['a payload that is text', { payload: 'x' }],
    ['a channel of another kind', { connector_channel_id: 7 }],
    ['a negative time', { time: -1 }],
  ])('R6: %s is invalid_packet, with what request_id could be read', async (_what, fault) => {
    const agent = await world.agent();
    agent.forgive('reply_to points to nothing');
    const from = agent.received.mark;
    const packet: Record<string, unknown> = { ...good(), ...fault };
    agent.sendRaw(JSON.stringify(packet));
    const answer = await agent.received.next((p) => p.type === 'error', 'error', { from });
    expect(answer.error?.code).toBe('invalid_packet');
    expect(answer.request_id).toBe(packet['request_id']);
    await agent.settle();
  });

  it('R4: a binary frame is invalid_packet and nothing in it is done', async () => {
    const agent = await world.agent();
    agent.forgive('reply_to points to nothing');
    const from = agent.received.mark;
    agent.sendRaw(Buffer.from(JSON.stringify(good())));
    const answer = await agent.received.next((packet) => packet.type === 'error', 'error', { from });
    expect(answer.error?.code).toBe('invalid_packet');
    await agent.settle();
    expect(agent.received.since(from).filter((packet) => packet.type === 'pong')).toHaveLength(1);
  });

  it('R48: unknown fields are ignored on input', async () => {
    const agent = await world.agent();
    agent.forgive('reply_to points to nothing');
    const from = agent.received.mark;
    const packet: Record<string, unknown> = { ...good(), trace: { a: 1 }, priority: 'high', payload: { later: true } };
    agent.sendRaw(JSON.stringify(packet));
    const answer = await agent.received.next((p) => p.type === 'pong', 'pong', { from });
    expect(answer.request_id).toBe(packet['request_id']);
  });

  it.each([undefined, null, {}])('R50: payload %s is the same as none', async (payload) => {
    const agent = await world.agent();
    const from = agent.received.mark;
    const sent = agent.send({ type: 'channel.open', request_id: id('req'), connector_channel_id: '' });
    expect((await agent.received.next((p) => p.reply_to === sent.packet_id, 'ack', { from })).type).toBe(
      'channel.open.ack',
    );
    agent.forgive('reply_to points to nothing');
    agent.sendRaw(JSON.stringify({ ...good(), type: 'channel.open', payload }));
    await agent.received.next((p) => p.type === 'channel.open.ack', 'ack', { from: from + 1 });
  });

  it('R7: a request without request_id is processed, answered by reply_to alone', async () => {
    const agent = await world.agent();
    const from = agent.received.mark;
    const sent = agent.send({ type: 'channel.open' });
    const answer = await agent.received.next((p) => p.reply_to === sent.packet_id, 'ack', { from });
    expect(answer.type).toBe('channel.open.ack');
    expect('request_id' in answer).toBe(false);
  });

  it('R7: a repeated request_id is not a repeated request', async () => {
    const agent = await world.agent();
    const first = await agent.request('channel.open', { requestId: 'same' });
    const second = await agent.request('channel.open', { requestId: 'same' });
    expect(second.payload?.['connector_channel_id']).not.toBe(first.payload?.['connector_channel_id']);
  });

  it('8.22: ping is answered by pong with the same request_id', async () => {
    const agent = await world.agent();
    const answer = await agent.request('ping', { requestId: 'req_ping' });
    expect(answer.type).toBe('pong');
    expect(answer.request_id).toBe('req_ping');
  });

  it.each(['no.such.packet', 'session.sync_request', 'message.pull', 'CONNECTOR.HELLO', '__proto__', 'constructor'])(
    '8.23: %s is unsupported_packet',
    async (type) => {
      const agent = await world.agent();
      const answer = await agent.request(type, { channel: 'cch_whatever' });
      expect(answer.type).toBe('error');
      expect(answer.error?.code).toBe('unsupported_packet');
    },
  );

  it.each(['connection.descriptor.push', 'message.push', 'tool.progress.push'])(
    'R24: %s goes the other way: unsupported_packet',
    async (type) => {
      const agent = await world.agent();
      const { channel } = await agent.open();
      expect((await agent.request(type, { channel })).error?.code).toBe('unsupported_packet');
    },
  );

  it('R24: answers nobody asked for are ignored without a word', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    const from = agent.received.mark;
    for (const type of ['pong', 'error', 'channel.open.ack', 'tool.invoke.ack', 'connector.hello.ack']) {
      agent.send({
        type,
        request_id: id('req'),
        reply_to: id('pkt'),
        connector_channel_id: channel,
        ...(type === 'error' ? { error: { code: 'invalid_packet', message: 'x' } } : { payload: {} }),
      });
    }
    await agent.settle();
    expect(agent.received.since(from).map((packet) => packet.type)).toEqual(['pong']);
  });

  const userLevel: [string, Record<string, unknown>][] = [
    ['channel.close', {}],
    ['auth.start', { flow_id: 'local_pairing', input: { display_name: 'x' } }],
    ['auth.status', { auth_session_id: 'auth_x' }],
    ['auth.cancel', { auth_session_id: 'auth_x' }],
    ['auth.logout', {}],
    ['connection.descriptor.get', {}],
    ['tool.invoke', { tool_id: 'local_message_send', arguments: { text: 'x' } }],
    ['chat.message', { message_id: 'm1', text: 'x' }],
    ['chat.message.delta', { message_id: 'm1', sequence: 1, text: 'x' }],
  ];

  it.each(userLevel)('R16: %s without a channel is connector_channel_id_required', async (type, payload) => {
    const agent = await world.agent();
    for (const channel of [undefined, '']) {
      const answer = await agent.request(type, { payload, ...(channel === undefined ? {} : { channel }) });
      expect(answer.type).toBe('error');
      expect(answer.error?.code).toBe('connector_channel_id_required');
    }
  });

  it.each(userLevel.filter(([type]) => type !== 'channel.close'))(
    'R17: %s on an unknown channel is connection_not_found',
    async (type, payload) => {
      const agent = await world.agent();
      const answer = await agent.request(type, { channel: 'cch_unknown', payload });
      expect(answer.type).toBe('error');
      expect(answer.error?.code).toBe('connection_not_found');
    },
  );

  it('R15: channel.close on an unknown channel is ok', async () => {
    const agent = await world.agent();
    expect((await agent.request('channel.close', { channel: 'cch_unknown' })).payload).toEqual({ status: 'ok' });
  });

  it('R5: a packet of 1 MiB is read, one beyond maxPacketBytes closes 1009', async () => {
    const agent = await world.agent();
    agent.send({ type: 'ping', request_id: 'big', payload: { filler: 'x'.repeat(1024 * 1024) } });
    await agent.received.next((packet) => packet.request_id === 'big', 'pong to a big packet');
    agent.sendRaw(JSON.stringify({ ...good(), payload: { filler: 'x'.repeat(4_194_304) } }));
    expect((await agent.closed).code).toBe(1009);
    await (await world.agent()).settle();
  });

  it('deeply nested JSON is a refusal, not a crash', async () => {
    const agent = await world.agent();
    agent.forgive('reply_to points to nothing');
    const nested = [
      `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
    ];
    for (const payload of nested) {
      const from = agent.received.mark;
      agent.sendRaw(`{"schema":"xagent.connector.packet/v1","packet_id":"p","type":"ping","payload":${payload}}`);
      await agent.settle();
      expect(agent.received.since(from)).toMatchObject([{ error: { code: 'invalid_packet' } }, { type: 'pong' }]);
    }
  });
});
