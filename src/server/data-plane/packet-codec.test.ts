import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exceedsDepth } from '../../base/json-depth.js';
import { PACKET_SCHEMA, PacketSchema, checker } from '../../protocol/index.js';
import { decodePacket, encodePacket } from './packet-codec.js';

const GOOD = { schema: PACKET_SCHEMA, packet_id: 'p1', type: 'ping' };
const decode = (fields: Record<string, unknown>) => decodePacket(JSON.stringify({ ...GOOD, ...fields }));

describe('reading a packet', () => {
  it('gives the envelope, with an absent payload as an empty one', () => {
    expect(
      decode({ request_id: 'r', reply_to: 'x', connector_channel_id: 'c', payload: { a: 1 }, extra: true }),
    ).toEqual({
      ok: true,
      packet: { type: 'ping', packetId: 'p1', requestId: 'r', replyTo: 'x', channelId: 'c', payload: { a: 1 } },
    });
    for (const payload of [undefined, null, {}]) expect(decode({ payload })).toMatchObject({ packet: { payload: {} } });
  });

  it('takes null and empty as no channel, null as no request id', () => {
    for (const none of [undefined, null, '']) {
      expect(decode({ connector_channel_id: none })).toMatchObject({ packet: { channelId: undefined } });
    }
    expect(decode({ request_id: null })).toMatchObject({ packet: { requestId: undefined } });
    expect(decode({ request_id: '' })).toMatchObject({ packet: { requestId: '' } });
  });

  it.each([
    { schema: 'xagent.connector.packet/v2' },
    { schema: undefined },
    { packet_id: '' },
    { packet_id: 7 },
    { type: undefined },
    { type: '' },
    { connector_channel_id: 7 },
    { reply_to: 7 },
    { payload: [] },
    { payload: 'text' },
    { time: -1 },
    { time: 'now' },
  ])('refuses %j and still tells which request it was', (fault) => {
    expect(decode({ request_id: 'r', ...fault })).toMatchObject({ ok: false, origin: { requestId: 'r' } });
  });

  it('does not look at the error of an error, which could otherwise be answered for ever', () => {
    expect(decode({ type: 'error', error: 'not as it should be' }).ok).toBe(true);
  });

  it.each(['', 'nonsense', '{', '[]', 'null', '"text"', '7'])('refuses %j', (text) => {
    expect(decodePacket(text).ok).toBe(false);
  });

  it('refuses nesting beyond 32 levels before it parses', () => {
    const nested = (levels: number) =>
      decode({ payload: { a: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown } });
    expect(nested(30).ok).toBe(true);
    expect(nested(31).ok).toBe(false);
    expect(decodePacket('['.repeat(4_000_000))).toMatchObject({ ok: false, reason: 'the packet nests too deeply' });
  });
});

describe('the depth of JSON text', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0)
      : 0;

  it('is that of the value, whatever brackets and quotes stand in its strings', () => {
    const text = fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', ']', 'a') });
    const value = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, text, fc.array(tie('value')), fc.dictionary(text, tie('value'))),
    })).value;
    fc.assert(
      fc.property(value, (sample) => {
        const depth = depthOf(sample);
        expect(exceedsDepth(JSON.stringify(sample), depth)).toBe(false);
        if (depth > 0) expect(exceedsDepth(JSON.stringify(sample), depth - 1)).toBe(true);
      }),
    );
  });
});

describe('writing a packet', () => {
  it('leaves out what is not there, and fits the schema', () => {
    const packet: unknown = JSON.parse(encodePacket({ type: 'pong', replyTo: 'p1', requestId: undefined }, 1234));
    expect(checker(PacketSchema, 'packet')(packet)).toBe(packet);
    expect(packet).toEqual({
      schema: PACKET_SCHEMA,
      packet_id: expect.stringMatching(/^pkt_.{22}$/),
      reply_to: 'p1',
      type: 'pong',
      time: 1234,
    });
  });
});
