import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as e2a from './index.js';

/**
 * What the public Python implementation answers, as golden vectors. Each runs through the function of its operation; the
 * expectation is changed in two ways only: converter ids are this product's, and deliberate differences are as below.
 */

type Vector = {
  name: string;
  op: string;
  input: e2a.JsonObject;
  expected: unknown;
  error?: { type: string };
  tags: string[];
};
type VectorFile = { _about: { fixed_now: string }; vectors: Vector[] };

const file = JSON.parse(
  readFileSync(new URL('../../test/vectors/e2a-vectors.json', import.meta.url), 'utf8'),
) as VectorFile;
const clock = { now: () => file._about.fixed_now };

const operations: Record<string, (input: e2a.JsonObject) => unknown> = {
  'envelope.defaults.to_dict': (input) => e2a.envelopeToDict(e2a.envelopeFromDict(input)),
  'envelope.from_dict.to_dict': (input) => e2a.envelopeToDict(e2a.envelopeFromDict(input)),
  'envelope.from_dict.to_dict@upstream-5b40c66': (input) => e2a.envelopeFromDict(input, { edition: 'enterprise' }),
  'response.defaults.to_dict': (input) => e2a.responseToDict(e2a.responseFromDict(input)),
  'response.from_dict.to_dict': (input) => e2a.responseToDict(e2a.responseFromDict(input)),
  merge_params_to_acp_prompt: e2a.mergeParamsToAcpPrompt,
  envelope_from_acp_jsonrpc: (input) => e2a.envelopeFromAcpJsonrpc(input, clock),
  envelope_from_a2a_send_message: (input) => e2a.envelopeFromA2aSendMessage(input, clock),
  envelope_to_acp_jsonrpc_call: e2a.envelopeToAcpJsonrpcCall,
  e2a_response_to_acp_jsonrpc_response: e2a.e2aResponseToAcpJsonrpcResponse,
  e2a_response_to_a2a_stream_payload: e2a.e2aResponseToA2aStreamPayload,
  is_e2a_response_wire_dict: e2a.isE2aResponseWireDict,
  encode_agent_chunk_for_wire: (input) => e2a.encodeAgentChunkForWire(input, clock),
  encode_agent_response_for_wire: (input) => e2a.encodeAgentResponseForWire(input, clock),
  encode_json_parse_error_wire: (input) => e2a.encodeJsonParseErrorWire(input, clock),
  build_server_push_wire: (input) => e2a.buildServerPushWire(input, clock),
  oversized_fallback: (input) => e2a.oversizedFallback(input, clock),
  parse_agent_server_wire_chunk: e2a.parseAgentServerWireChunk,
  parse_agent_server_wire_unary: e2a.parseAgentServerWireUnary,
  message_to_e2a_or_fallback: e2a.messageToE2aOrFallback,
  e2a_from_agent_fields: e2a.e2aFromAgentFields,
  build_fallback_e2a: e2a.buildFallbackE2a,
  channel_context_for_channel_reply: e2a.channelContextForChannelReply,
  e2a_to_agent_request: e2a.e2aToAgentRequest,
};

/** Where a Python artefact makes no sense this contract differs; `docs/e2a.md` says why. Any other vector holds as it is. */
const deliberate: Record<string, e2a.JsonObject | 'throws'> = {
  'env-provenance-null-source': {
    provenance: { source_protocol: 'e2a', converter: null, converted_at: null, details: {} },
  },
  'res-status-null': { status: 'in_progress' },
  'env-params-pairs': 'throws',
  'env-expected-modes-string': { expected_output_modes: ['text'] },
};

/** The operation's own name stands behind the colon on both sides; what stands before it is the product's. */
function withOwnConverter(value: unknown): unknown {
  const text = JSON.stringify(value).replaceAll(/"converter":"[^"]*:(\w+)"/g, '"converter":"<product>:$1"');
  return JSON.parse(text) as unknown;
}

function run(vector: Vector): unknown {
  const operation = operations[vector.op];
  if (operation === undefined) throw new Error(`no operation for ${vector.op}`);
  return operation(vector.input);
}

const [own, shared] = [true, false].map((wanted) =>
  file.vectors.filter(({ name }) => Object.hasOwn(deliberate, name) === wanted),
) as [Vector[], Vector[]];

describe('golden vectors of the E2A implementation', () => {
  it.each(shared.filter(({ error }) => error === undefined).map((vector) => [vector.name, vector] as const))(
    '%s answers as the implementation does',
    (_name, vector) => {
      expect(withOwnConverter(run(vector))).toStrictEqual(withOwnConverter(vector.expected));
    },
  );

  it.each(shared.filter(({ error }) => error !== undefined).map((vector) => [vector.name, vector] as const))(
    '%s is refused as the implementation refuses it',
    (_name, vector) => {
      expect(() => run(vector)).toThrow(e2a.E2AError);
    },
  );

  it.each(own.map((vector) => [vector.name, vector] as const))('%s differs on purpose', (name, vector) => {
    const difference = deliberate[name];
    expect(vector.tags).toContain('python-quirk');
    if (difference === 'throws') expect(() => run(vector)).toThrow(e2a.E2AError);
    else expect(run(vector)).toStrictEqual({ ...(vector.expected as e2a.JsonObject), ...difference });
  });

  it('never changes the object it was given', () => {
    for (const vector of file.vectors) {
      const before = JSON.stringify(vector.input);
      try {
        run(vector);
      } catch (error) {
        expect(error).toBeInstanceOf(e2a.E2AError);
      }
      expect(JSON.stringify(vector.input)).toBe(before);
    }
  });
});
