import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ServerRig, type TestAgent } from '../../../test/support/server-rig.js';
import { ProtocolError } from '../../base/errors.js';
import type { OutboundVerdict } from '../../delivery/delivery.js';
import type { Packet } from '../../protocol/index.js';

describe("an agent's chat packets (IM Profile v2)", () => {
  let clock: ManualClock;
  let rig: ServerRig;
  let agent: TestAgent;
  let channel: string;
  beforeEach(async () => {
    clock = new ManualClock();
    rig = await ServerRig.start({ clock });
    agent = await rig.agent();
    channel = await agent.open('acc_1', 'cch_1');
  });
  afterEach(() => rig.stop());
  const chat = (payload: unknown, more: Record<string, unknown> = {}): Promise<Packet> =>
    agent.request({ type: 'chat.message', connector_channel_id: channel, payload, ...more });
  const upload = async (source: { channelId?: string; cardId?: string } = {}): Promise<string> => {
    const bytes = Readable.from([Buffer.from('bytes')]);
    return (await rig.files.put({ cardId: 'im.alpha', channelId: channel, ...source }, bytes)).fileRef;
  };

  describe('a final message', () => {
    it("is delivered by the channel's account and acknowledged once", async () => {
      const ref = await upload();
      const ack = await chat({ message_id: 'a1', text: 'answer', files: [{ type: 'file', file_ref: ref }] });
      expect(ack).toMatchObject({
        type: 'chat.message.ack',
        connector_channel_id: channel,
        payload: { message_id: 'a1', status: 'accepted' },
      });
      expect(ack).not.toHaveProperty('request_id');
      expect(ack.payload).toEqual({ message_id: 'a1', status: 'accepted' });
      expect(rig.delivery.requests).toEqual([
        {
          kind: 'message',
          channelId: channel,
          accountId: 'acc_1',
          id: 'a1',
          text: 'answer',
          files: [expect.objectContaining({ fileRef: ref })],
        },
      ]);
      await agent.settle();
      expect(agent.received.entries.filter((packet) => packet.type === 'chat.message.ack')).toHaveLength(1);
    });

    it('gives the verdict of delivery, whatever it is', async () => {
      const verdicts: OutboundVerdict[] = [
        { status: 'duplicate', messageIds: [] },
        { status: 'rejected', code: 'message_id_conflict', message: 'other content', retryable: false },
        { status: 'rejected', code: 'rate_limited', message: 'later', retryable: true },
      ];
      const payloads = [];
      for (const verdict of verdicts) {
        rig.delivery.onDeliver = () => Promise.resolve(verdict);
        payloads.push((await chat({ message_id: 'a1', text: 'x' })).payload);
      }
      expect(payloads).toEqual([
        { message_id: 'a1', status: 'duplicate' },
        {
          message_id: 'a1',
          status: 'rejected',
          code: 'message_id_conflict',
          message: 'other content',
          retryable: false,
        },
        { message_id: 'a1', status: 'rejected', code: 'rate_limited', message: 'later', retryable: true },
      ]);
    });

    it('that was accepted before is a duplicate though its file expired and its account signed out since', async () => {
      rig.delivery.onRecall = ({ id }) =>
        id === 'a1' ? Promise.resolve({ status: 'duplicate', messageIds: [] }) : undefined;
      const files = [{ type: 'file', file_ref: 'file_expired' }];
      expect((await chat({ message_id: 'a1', files })).payload).toEqual({ message_id: 'a1', status: 'duplicate' });
      rig.connector.addChannel('cch_2', undefined, rig.connector.lastLink);
      const ack = await chat({ message_id: 'a1', files }, { connector_channel_id: 'cch_2' });
      expect(ack.payload).toEqual({ message_id: 'a1', status: 'duplicate' });
      expect(rig.delivery.requests).toEqual([]);
    });

    it.each([
      ['nothing in it', { message_id: 'a1' }],
      ['nothing but spaces', { message_id: 'a1', text: ' \n\t ' }],
      ['empty text and files', { message_id: 'a1', text: '', files: [] }],
      ['only nulls', { message_id: 'a1', text: null, files: null }],
      ['text of another kind', { message_id: 'a1', text: 7 }],
      ['a file of an unknown type', { message_id: 'a1', files: [{ type: 'hologram', file_ref: 'f' }] }],
      ['a file without ref', { message_id: 'a1', files: [{ type: 'file' }] }],
      [
        'one ref twice',
        {
          message_id: 'a1',
          files: [
            { type: 'file', file_ref: 'f' },
            { type: 'file', file_ref: 'f' },
          ],
        },
      ],
    ])('with %s is rejected for good', async (_what, payload) => {
      expect((await chat(payload)).payload).toMatchObject({
        message_id: 'a1',
        status: 'rejected',
        code: 'invalid_packet',
        retryable: false,
      });
      expect(rig.delivery.requests).toEqual([]);
    });

    it.each([undefined, null, '', 7])('with message_id %s is an error, for no ack could name it', async (messageId) => {
      const answer = await chat({ message_id: messageId, text: 'x' });
      expect([answer.type, answer.error?.code]).toEqual(['error', 'invalid_packet']);
    });

    it('with files that are unknown, of another channel or another connector is rejected for good', async () => {
      const foreign = [await upload({ channelId: 'cch_2' }), await upload({ cardId: 'im.beta' }), 'file_unknown'];
      for (const ref of foreign) {
        const ack = await chat({ message_id: 'a1', text: 'x', files: [{ type: 'file', file_ref: ref }] });
        expect(ack.payload).toMatchObject({ status: 'rejected', code: 'file_ref_not_found', retryable: false });
      }
      expect(rig.delivery.requests).toEqual([]);
    });

    it.each([
      ['was signed out while it waited is rejected for good', undefined, ['connection_not_authenticated', false]],
      [
        'is signed in is kept by its sender while the network can not be reached',
        'acc_1',
        ['target_unreachable', true],
      ],
    ])('whose channel %s', async (_what, accountId, verdict) => {
      rig.delivery.onDeliver = () => {
        rig.connector.addChannel(channel, accountId);
        return Promise.resolve({ status: 'rejected', code: 'target_unreachable', message: 'later', retryable: true });
      };
      const { payload } = await chat({ message_id: 'a1', text: 'x' });
      expect([payload?.['code'], payload?.['retryable']]).toEqual(verdict);
    });

    it('on a channel that is not signed in is rejected for good', async () => {
      rig.connector.addChannel('cch_2', undefined, rig.connector.lastLink);
      const ack = await chat({ message_id: 'a1', text: 'x' }, { connector_channel_id: 'cch_2' });
      expect(ack.payload).toMatchObject({ status: 'rejected', code: 'connection_not_authenticated', retryable: false });
    });

    it('on a channel that is closed, unknown or not named is a routing error, so the agent keeps it', async () => {
      rig.connector.addChannel('cch_closed', 'acc_2');
      const codes = [];
      for (const id of ['cch_closed', 'cch_x', undefined]) {
        const answer = await chat({ message_id: 'a1', text: 'x' }, { connector_channel_id: id });
        codes.push([answer.type, answer.error?.code]);
      }
      expect(codes).toEqual([
        ['error', 'channel_not_open'],
        ['error', 'connection_not_found'],
        ['error', 'connector_channel_id_required'],
      ]);
    });

    it('that fails here is temporary, without a word about why', async () => {
      rig.delivery.onDeliver = () => {
        throw new Error('secret detail');
      };
      const ack = await chat({ message_id: 'a1', text: 'x' });
      expect(ack.payload).toMatchObject({ status: 'rejected', code: 'internal_error', retryable: true });
      expect(JSON.stringify(ack)).not.toContain('secret');
    });

    it('that takes long holds up neither other channels nor pings, and is answered on the socket it came from', async () => {
      const other = await rig.agent();
      rig.connector.addChannel('cch_2', 'acc_2', rig.connector.lastLink);
      let finish: (() => void) | undefined;
      rig.delivery.onDeliver = (request) =>
        request.id === 'slow'
          ? new Promise((resolve) => (finish = () => resolve({ status: 'accepted', messageIds: [] })))
          : Promise.resolve({ status: 'accepted', messageIds: [] });
      const slow = chat({ message_id: 'slow', text: 'x' });
      await agent.settle();
      const quick = await other.request({
        type: 'chat.message',
        connector_channel_id: 'cch_2',
        payload: { message_id: 'q', text: 'x' },
      });
      expect(quick.payload).toMatchObject({ status: 'accepted' });
      finish?.();
      expect((await slow).payload).toMatchObject({ message_id: 'slow', status: 'accepted' });
      expect(other.received.entries.some((packet) => packet.payload?.['message_id'] === 'slow')).toBe(false);
    });

    it('whose socket is gone by then is answered nowhere', async () => {
      let finish: (() => void) | undefined;
      rig.delivery.onDeliver = () =>
        new Promise((resolve) => (finish = () => resolve({ status: 'accepted', messageIds: [] })));
      agent.send({ type: 'chat.message', connector_channel_id: channel, payload: { message_id: 'a1', text: 'x' } });
      await agent.settle();
      agent.socket.terminate();
      const next = await rig.agent();
      finish?.();
      await next.settle();
      expect(next.received.entries.map((packet) => packet.type)).toEqual(['connector.hello.ack', 'pong']);
    });
  });

  describe('deltas', () => {
    const delta = (payload: unknown): Promise<Packet> =>
      agent.request({ type: 'chat.message.delta', connector_channel_id: channel, payload });

    it('and finals reach delivery in the order they were sent', async () => {
      const sent = [];
      for (let round = 0; round < 20; round += 1) {
        for (let sequence = 1; sequence <= 5; sequence += 1) {
          agent.send({
            type: 'chat.message.delta',
            connector_channel_id: channel,
            payload: { message_id: `a${round}`, sequence, text: 't' },
          });
          sent.push(`delta a${round} ${sequence}`);
        }
        agent.send({
          type: 'chat.message',
          connector_channel_id: channel,
          payload: { message_id: `a${round}`, text: 'final' },
        });
        sent.push(`final a${round}`);
      }
      await agent.settle();
      expect(rig.delivery.events).toEqual(sent);
    });

    it('are not answered when they are right', async () => {
      const from = agent.received.mark;
      agent.send({
        type: 'chat.message.delta',
        connector_channel_id: channel,
        payload: { message_id: 'a', sequence: 1, text: '' },
      });
      await agent.settle();
      expect(agent.received.since(from).map((packet) => packet.type)).toEqual(['pong']);
    });

    it.each([
      { message_id: 'a', sequence: 0, text: 'x' },
      { message_id: 'a', sequence: 1.5, text: 'x' },
      { message_id: '', sequence: 1, text: 'x' },
      { message_id: 'a', sequence: 1 },
    ])('like %j are invalid_packet', async (payload) => {
      expect((await delta(payload)).error?.code).toBe('invalid_packet');
    });

    it('out of sequence are an error that names the packet', async () => {
      rig.delivery.onDelta = () => {
        throw new ProtocolError('delta_sequence_conflict', 'sequence 3 after 1');
      };
      expect(await delta({ message_id: 'a', sequence: 3, text: 'x' })).toMatchObject({
        type: 'error',
        connector_channel_id: channel,
        error: { code: 'delta_sequence_conflict' },
      });
    });

    it('that break something here are an error too, for a delta has no ack', async () => {
      rig.delivery.onDelta = () => {
        throw new Error('secret detail');
      };
      expect(await delta({ message_id: 'a', sequence: 1, text: 'x' })).toMatchObject({
        type: 'error',
        error: { code: 'internal_error', message: 'the request could not be handled' },
      });
    });

    it('without a signed-in, open channel are errors', async () => {
      rig.connector.addChannel('cch_2', undefined, rig.connector.lastLink);
      const payload = { message_id: 'a', sequence: 1, text: 'x' };
      const on = async (id: string) =>
        (await agent.request({ type: 'chat.message.delta', connector_channel_id: id, payload })).error?.code;
      expect([await on('cch_2'), await on('cch_x')]).toEqual(['connection_not_authenticated', 'connection_not_found']);
    });
  });

  describe('activity', () => {
    const show = async (payload: unknown, id = channel): Promise<void> => {
      const from = agent.received.mark;
      agent.send({ type: 'chat.activity', connector_channel_id: id, payload });
      await agent.settle();
      expect(agent.received.since(from).map((packet) => packet.type)).toEqual(['pong']);
    };

    it('is a snapshot that replaces the one before', async () => {
      await show({ status: 'thinking' });
      await show({ status: 'tool', tool_name: 'web_search' });
      await show({ status: 'idle' });
      const since = clock.now();
      expect(rig.delivery.activities).toEqual([
        { status: 'thinking', since },
        { status: 'tool', toolName: 'web_search', since },
        { status: 'idle' },
      ]);
    });

    it('counts the tool name in bytes of UTF-8', async () => {
      await show({ status: 'tool', tool_name: '界'.repeat(85) });
      expect(rig.delivery.activities).toHaveLength(1);
      await show({ status: 'tool', tool_name: '界'.repeat(86) });
      expect(rig.delivery.activities).toHaveLength(1);
    });

    it.each([
      {},
      { status: 'dancing' },
      { status: 'tool' },
      { status: 'idle', tool_name: 'x' },
      { status: 'tool', tool_name: 'x'.repeat(257) },
    ])('like %j is dropped in silence', async (payload) => {
      await show(payload);
      expect(rig.delivery.activities).toEqual([]);
    });

    it('on a channel that is not open or not signed in is dropped in silence', async () => {
      rig.connector.addChannel('cch_2', undefined, rig.connector.lastLink);
      for (const id of ['cch_2', 'cch_x', '']) await show({ status: 'thinking' }, id);
      expect(rig.delivery.activities).toEqual([]);
    });
  });
});
