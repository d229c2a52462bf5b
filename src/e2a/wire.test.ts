import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AgentResponseChunkSchema,
  buildServerPushWire,
  E2A_WIRE_LEGACY_AGENT_CHUNK_KEY,
  E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY,
  E2AError,
  encodeAgentChunkForWire,
  encodeAgentResponseForWire,
  isE2aResponseWireDict,
  isServerPush,
  type JsonObject,
  oversizedFallback,
  parseAgentServerWireChunk,
  parseAgentServerWireUnary,
  responseViolations,
} from './index.js';

const clock = { now: () => '2026-01-02T03:04:05+00:00' };
/** Over the wire and back, as the peer sees it. */
const overTheWire = (frame: unknown): JsonObject => JSON.parse(JSON.stringify(frame)) as JsonObject;

const id = fc.string({ minLength: 1 });
const payload = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => overTheWire(value));

describe('a whole answer', () => {
  it('survives encoding and decoding', () => {
    fc.assert(
      fc.property(id, id, payload, fc.boolean(), (request_id, channel_id, content, ok) => {
        const response = { request_id, channel_id, ok, payload: content };
        const frame = encodeAgentResponseForWire({ response, response_id: request_id }, clock);
        expect(parseAgentServerWireUnary(overTheWire(frame))).toEqual({ ...response, metadata: null, agent_ref: null });
      }),
    );
  });

  it('keeps what E2A can’t tell whole, for the peer to find', () => {
    const response = { request_id: 'r', channel_id: 'c', ok: true, payload: 'no object' };
    const frame = encodeAgentResponseForWire({ response, response_id: 'r' }, clock);
    expect(frame).toMatchObject({ status: 'failed', response_kind: 'e2a.error', is_final: true });
    expect(frame.body).toMatchObject({ code: 'E2A.WIRE_ENCODE_ERROR' });
    expect(frame.metadata).toHaveProperty(E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY);
    expect(parseAgentServerWireUnary(overTheWire(frame))).toMatchObject(response);
  });

  it('is refused without the ids it goes by', () => {
    expect(() => encodeAgentResponseForWire({ response: { request_id: 'r' }, response_id: 'r' })).toThrow(E2AError);
    expect(() => encodeAgentResponseForWire({ response: { request_id: 'r', channel_id: 'c' } })).toThrow(E2AError);
  });
});

describe('a piece of a stream', () => {
  /** Any event but text, whose null fields the wire does not carry, and whose last piece may be the bare end marker. */
  const event = payload.filter((content) => content['event_type'] !== 'chat.delta' && content['event_type'] !== null);

  it('survives encoding and decoding, whatever its event', () => {
    fc.assert(
      fc.property(id, id, event, fc.nat(), (request_id, channel_id, content, sequence) => {
        const chunk = { request_id, channel_id, payload: content, is_complete: false };
        const frame = encodeAgentChunkForWire({ chunk, response_id: request_id, sequence }, clock);
        expect(parseAgentServerWireChunk(overTheWire(frame))).toEqual({ ...chunk, agent_ref: null, metadata: null });
      }),
    );
  });

  it('survives as text and as reasoning, with who speaks', () => {
    fc.assert(
      fc.property(fc.string(), fc.option(fc.string(), { nil: undefined }), fc.boolean(), (content, role, reasoning) => {
        const text = {
          event_type: 'chat.delta',
          content,
          ...(reasoning ? { source_chunk_type: 'llm_reasoning' } : {}),
          ...(role === undefined ? {} : { role }),
        };
        const chunk = { request_id: 'r', channel_id: 'c', payload: text, is_complete: false };
        const frame = encodeAgentChunkForWire({ chunk, response_id: 'r', sequence: 0 }, clock);
        expect(frame.body['delta_kind']).toBe(reasoning ? 'reasoning' : 'text');
        expect(parseAgentServerWireChunk(overTheWire(frame)).payload).toStrictEqual(text);
      }),
    );
  });

  it('is a response of the specification', () => {
    fc.assert(
      fc.property(event, fc.boolean(), (content, is_complete) => {
        const chunk = { request_id: 'r', channel_id: 'c', payload: content, is_complete };
        expect(responseViolations(encodeAgentChunkForWire({ chunk, response_id: 'r', sequence: 0 }, clock))).toEqual(
          [],
        );
      }),
    );
  });

  it('keeps what E2A can’t tell whole, for the peer to find', () => {
    const chunk = { request_id: 'r', channel_id: 'c', payload: [1], is_complete: false };
    const frame = encodeAgentChunkForWire({ chunk, response_id: 'r', sequence: 2 }, clock);
    expect(frame).toMatchObject({ status: 'failed', is_final: false, sequence: 2, is_stream: true });
    expect(frame.metadata).toHaveProperty(E2A_WIRE_LEGACY_AGENT_CHUNK_KEY);
    expect(parseAgentServerWireChunk(overTheWire(frame))).toMatchObject(chunk);
  });

  it.each([
    ['a piece marked final', { response_kind: 'e2a.chunk', is_final: true }],
    ['an end not marked final', { response_kind: 'e2a.complete', is_final: false }],
    ['an error not marked final', { response_kind: 'e2a.error', is_final: false }],
    ['an extension', { response_kind: 'ext', is_final: true }],
    ['a kind of the future', { response_kind: 'e2a.someday', is_final: true }],
  ])('is not made of %s', (_what, fields) => {
    expect(() => parseAgentServerWireChunk({ protocol_version: '1.0', request_id: 'r', ...fields })).toThrow(E2AError);
  });
});

describe('frames that are no answers', () => {
  it.each([
    { type: 'event', event: 'connection.ack', payload: {} },
    { protocol_version: '1.0', response_kind: ' ' },
    { protocol_version: '1.0', response_kind: 5 },
    { protocol_version: '2.0', response_kind: 'e2a.chunk' },
    [],
    null,
    'text',
  ])('are not E2A responses: %j', (frame) => {
    expect(isE2aResponseWireDict(frame)).toBe(false);
  });

  it('are told apart from both legacy shapes by the keys they have', () => {
    const legacy = { request_id: 'r', channel_id: 'c', payload: { a: 1 } };
    expect(parseAgentServerWireUnary({ ...legacy, ok: true }).ok).toBe(true);
    expect(parseAgentServerWireChunk({ ...legacy, is_complete: true }).is_complete).toBe(true);
    expect(() => parseAgentServerWireChunk({ ...legacy, is_complete: true, ok: true })).toThrow(E2AError);
    expect(() => parseAgentServerWireUnary(legacy)).toThrow(E2AError);
  });
});

describe('what a server sends by itself', () => {
  it('is marked, and nobody else can mark a frame through metadata', () => {
    const push = buildServerPushWire({ request_id: 'r', payload: { event_type: 'chat.file' } }, clock);
    expect(isServerPush(push)).toBe(true);
    const chunk = { request_id: 'r', channel_id: 'c', payload: {}, is_complete: false };
    expect(isServerPush(encodeAgentChunkForWire({ chunk, response_id: 'r', sequence: 0 }, clock))).toBe(false);
  });

  it('stays marked when it was too large to send', () => {
    const wire = buildServerPushWire({ request_id: 'r', session_id: 's', payload: { event_type: 'chat.file' } }, clock);
    const error = oversizedFallback({ wire, actual_bytes: 7_000_000 }, clock);
    expect(isServerPush(error)).toBe(true);
    expect(error).toMatchObject({ session_id: 's', is_final: true, status: 'failed' });
  });

  it('tells an event that was too large as an event', () => {
    expect(oversizedFallback({ wire: { type: 'event' }, actual_bytes: 7_000_000 }, clock)).toMatchObject({
      type: 'event',
      event: 'response.error',
    });
  });
});

it('publishes its schemas as JSON Schema', () => {
  expect(JSON.parse(JSON.stringify(AgentResponseChunkSchema))).toMatchObject({ type: 'object' });
});
