import { given, isTruthy, type JsonObject, plainText } from './coerce.js';
import {
  E2A_CONVERTERS,
  E2A_ERROR_CODES,
  E2A_WIRE_LEGACY_AGENT_CHUNK_KEY,
  E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY,
} from './constants.js';
import { ownProvenance } from './provenance.js';
import { buildResponse, type ResponseReading } from './response.js';

const FALLBACKS = {
  response: {
    key: E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY,
    converter: E2A_CONVERTERS.responseFallback,
    kind: 'wire_encode_fallback',
    message: 'Failed to encode AgentResponse as E2A; see metadata legacy blob',
    defaults: { ok: true, payload: null, metadata: null, agent_ref: null },
  },
  chunk: {
    key: E2A_WIRE_LEGACY_AGENT_CHUNK_KEY,
    converter: E2A_CONVERTERS.chunkFallback,
    kind: 'wire_encode_chunk_fallback',
    message: 'Failed to encode AgentResponseChunk as E2A; see metadata legacy blob',
    defaults: { payload: null, is_complete: false, agent_ref: null, metadata: {} },
  },
} as const;

/**
 * A frame that could not be told in E2A (section 12.4): an `e2a.error` with the legacy frame whole in `metadata`, where a
 * reader finds it and takes it in place of the error.
 */
export function encodeFallback(
  kind: keyof typeof FALLBACKS,
  frame: JsonObject,
  place: Pick<ResponseReading, 'response_id' | 'sequence' | 'is_stream'>,
  at: string,
): ResponseReading {
  const { key, converter, kind: detailKind, message, defaults } = FALLBACKS[kind];
  const legacy: JsonObject = { ...defaults, ...frame };
  const channel = given(legacy, 'channel_id');
  const error = whyNoObject([given(legacy, 'metadata'), given(legacy, 'payload')]);
  return buildResponse({
    ...place,
    request_id: plainText(given(legacy, 'request_id', '')),
    is_final: kind === 'response' || isTruthy(given(legacy, 'is_complete')),
    status: 'failed',
    response_kind: 'e2a.error',
    timestamp: at,
    provenance: ownProvenance('e2a', converter, at, { error, kind: detailKind }),
    body: { code: E2A_ERROR_CODES.wireEncode, message, details: { error } },
    channel: isTruthy(channel) ? plainText(channel) : null,
    metadata: { [key]: legacy },
  });
}

/** What the implementation says of the first value that is no object; it stands in logs on both sides, so it is told alike. */
function whyNoObject(values: unknown[]): string {
  const culprit = values.find((value) => isTruthy(value) && (typeof value !== 'object' || Array.isArray(value)));
  if (typeof culprit === 'string' || Array.isArray(culprit)) {
    const first: unknown = culprit[0];
    const length = typeof first === 'string' || Array.isArray(first) ? first.length : undefined;
    return length === undefined
      ? 'cannot convert dictionary update sequence element #0 to a sequence'
      : `dictionary update sequence element #0 has length ${String(length)}; 2 is required`;
  }
  if (typeof culprit === 'boolean') return "'bool' object is not iterable";
  return Number.isInteger(culprit) ? "'int' object is not iterable" : "'float' object is not iterable";
}
