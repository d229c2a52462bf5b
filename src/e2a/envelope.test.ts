import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { E2AError, envelopeFromDict, envelopeToDict, envelopeViolations, isE2AEnvelope } from './index.js';

const text = fc.option(fc.string(), { nil: null });
const object = fc.dictionary(fc.string(), fc.jsonValue());

/** Any envelope of section 4. */
const envelope = fc.record({
  protocol_version: fc.constant('1.0'),
  provenance: fc.record({
    source_protocol: fc.constantFrom('e2a', 'acp', 'a2a'),
    converter: text,
    converted_at: fc.constantFrom(null, '2026-01-02T03:04:05+00:00'),
    details: object,
  }),
  request_id: text,
  jsonrpc_id: fc.oneof(text, fc.integer()),
  correlation_id: text,
  task_id: text,
  context_id: text,
  session_id: text,
  message_id: text,
  timestamp: fc.constantFrom(null, '2026-01-02T03:04:05.678901+00:00', '2026-01-02T03:04:05Z'),
  identity_origin: fc.constantFrom('system', 'user', 'agent', 'service'),
  channel: text,
  user_id: text,
  agent_ref: fc.option(object, { nil: null }),
  chat_id: text,
  source_agent_id: text,
  method: text,
  params: object,
  ext_method: text,
  session_update_kind: fc.constantFrom(null, 'plan', 'tool_call'),
  is_stream: fc.boolean(),
  expected_output_modes: fc.array(fc.string()),
  auth: fc.option(
    fc.record({
      method_id: text,
      bearer_token: text,
      api_key_ref: text,
      credential_ref: text,
      extra_headers: fc.dictionary(fc.string(), fc.string()),
      _meta: object,
    }),
    { nil: null },
  ),
  channel_context: object,
  a2a_metadata: object,
  acp_meta: object,
});

describe('an envelope', () => {
  it('survives reading and writing unchanged, over JSON too', () => {
    fc.assert(
      fc.property(envelope, (sent) => {
        const received = JSON.parse(JSON.stringify(envelopeToDict(sent))) as Record<string, unknown>;
        expect(envelopeFromDict(received)).toEqual(JSON.parse(JSON.stringify(sent)));
      }),
    );
  });

  it('is read to the same thing twice, whatever JSON object it is made of', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(envelopeFromDict(null))), fc.jsonValue()), (sent) => {
        let once;
        try {
          once = envelopeFromDict(sent);
        } catch (error) {
          expect(error).toBeInstanceOf(E2AError);
          return;
        }
        expect(envelopeFromDict(once)).toStrictEqual(once);
      }),
    );
  });

  it('satisfies its own schema when it was made by the specification', () => {
    fc.assert(fc.property(envelope, (sent) => isE2AEnvelope(envelopeFromDict(sent))));
  });

  it('is read from nothing to the defaults, with every key there', () => {
    expect(Object.keys(envelopeFromDict({}))).toHaveLength(26);
    expect(Object.keys(envelopeFromDict({}, { edition: 'enterprise' }))).toHaveLength(29);
    expect(envelopeFromDict(null)).toStrictEqual(envelopeFromDict({}));
  });

  it.each([[[]], ['text'], [5]])('is refused when it is no object: %j', (frame) => {
    expect(() => envelopeFromDict(frame as unknown as Record<string, unknown>)).toThrow(E2AError);
  });

  it('keeps a key named like a prototype as the plain key it is', () => {
    const sent = JSON.parse('{"params":{},"payload":{"__proto__":{"polluted":true}}}') as Record<string, unknown>;
    const { params } = envelopeFromDict(sent);
    expect(Object.hasOwn(params, '__proto__')).toBe(true);
    expect(params['polluted']).toBeUndefined();
  });
});

describe('compatibility keys', () => {
  it('gives way to channel_id and req_method only where the new key is null', () => {
    expect(envelopeFromDict({ channel_id: 'c', req_method: 'chat.send' })).toMatchObject({
      channel: 'c',
      method: 'chat.send',
    });
    expect(envelopeFromDict({ channel: '', channel_id: 'c', method: '', req_method: 'm' })).toMatchObject({
      channel: '',
      method: '',
    });
    expect(envelopeFromDict({ req_method: 5 }).method).toBeNull();
  });

  it('adds of metadata what channel_context lacks, and never a key of the codec', () => {
    const read = envelopeFromDict({
      channel_context: { kept: 1 },
      metadata: { kept: 2, added: 3, _jiuwenswarm_server_push: true },
    });
    expect(read.channel_context).toStrictEqual({ kept: 1, added: 3 });
  });

  it('adds of payload what params lacks, but nothing empty', () => {
    const read = envelopeFromDict({ params: { a: null }, payload: { a: 1, b: 2, c: null, d: [], e: {}, f: '' } });
    expect(read.params).toStrictEqual({ a: null, b: 2, f: '' });
  });

  it('lets binding name the source unless one is named, and records it either way', () => {
    expect(envelopeFromDict({ binding: 'acp' }).provenance).toMatchObject({
      source_protocol: 'acp',
      details: { migrated_from_binding: 'acp' },
    });
    expect(envelopeFromDict({ binding: 'acp', provenance: { source_protocol: 'a2a' } }).provenance).toMatchObject({
      source_protocol: 'a2a',
      details: { migrated_from_binding: 'acp' },
    });
  });
});

describe('what the specification asks beyond reading', () => {
  it('names the place and the rule, never the value', () => {
    const violations = envelopeViolations({ ...envelopeFromDict({}), request_id: 5, timestamp: 'secret' });
    expect(violations.map(({ path }) => path)).toEqual(expect.arrayContaining(['/request_id', '/timestamp']));
    expect(JSON.stringify(violations)).not.toContain('secret');
  });

  it('is content with the defaults', () => {
    expect(envelopeViolations(envelopeFromDict({}))).toStrictEqual([]);
  });
});
