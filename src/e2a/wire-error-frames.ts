import { given, isTruthy, type JsonObject, objectOrEmpty, plainText, wholeNumber, wireObject } from './coerce.js';
import { AGENT_WS_SEND_BUDGET_BYTES, E2A_CONVERTERS, E2A_ERROR_CODES, E2A_WIRE_SERVER_PUSH_KEY } from './constants.js';
import { ownProvenance } from './provenance.js';
import { buildResponse, type ResponseReading } from './response.js';
import { isServerPush } from './server-push.js';
import { type ClockOptions, timeOf } from './timestamp.js';
import { encodeAgentChunkForWire, encodeAgentResponseForWire } from './wire-encode.js';

/** The errors a server sends in place of a frame: for a request that is no JSON, and for an answer that is too large. */

/** `response_id` of the answer to a request whose own id could not be read. */
const NO_ID = 'invalid-json';

/** Arguments of {@link encodeJsonParseErrorWire}. */
export type JsonParseErrorInput = { request_id: string; channel_id: string; message: string; response_id?: string };

/** The answer to a frame that is no JSON: a final `e2a.error` whose request id is mostly null. */
export function encodeJsonParseErrorWire(
  input: JsonParseErrorInput | JsonObject,
  options: ClockOptions = {},
): ResponseReading {
  const raw: JsonObject = input;
  const at = timeOf(options);
  const [responseId, requestId, channel] = ['response_id', 'request_id', 'channel_id'].map((key) => {
    const value = given(raw, key);
    return isTruthy(value) ? value : null;
  });
  return buildResponse({
    response_id: responseId ?? requestId ?? NO_ID,
    request_id: requestId,
    is_final: true,
    status: 'failed',
    response_kind: 'e2a.error',
    timestamp: at,
    provenance: ownProvenance('e2a', E2A_CONVERTERS.jsonParseError, at, { kind: 'json_parse_error' }),
    body: { code: E2A_ERROR_CODES.invalidJson, message: given(raw, 'message'), details: {} },
    channel,
  });
}

/** Arguments of {@link oversizedFallback}: the frame that was too large, and its size in bytes of JSON. */
export type OversizedInput = { wire: JsonObject; actual_bytes: number };

/** What ties the error to its conversation. */
const ROUTING_KEYS = ['session_id', 'task_id', 'context_id', 'correlation_id'] as const;

/** The frame that goes out in place of one above the send budget: a final error that names both sizes. */
export function oversizedFallback(input: OversizedInput | JsonObject, options: ClockOptions = {}): JsonObject {
  const raw: JsonObject = input;
  const wire = wireObject(given(raw, 'wire'), 'wire');
  const tooLarge = {
    error: 'AgentServer response exceeds WebSocket send budget',
    code: E2A_ERROR_CODES.responseTooLarge,
    actual_bytes: given(raw, 'actual_bytes'),
    max_bytes: AGENT_WS_SEND_BUDGET_BYTES,
  };
  const routing = Object.fromEntries(
    ROUTING_KEYS.filter((key) => given(wire, key) !== null).map((key) => [key, wire[key]]),
  );
  const error = errorFrame(wire, tooLarge, options);
  const metadata = { ...objectOrEmpty(given(error, 'metadata'), 'metadata'), [E2A_WIRE_SERVER_PUSH_KEY]: true };
  return { ...error, ...routing, ...(isServerPush(wire) ? { metadata } : {}) };
}

function errorFrame(wire: JsonObject, tooLarge: JsonObject, options: ClockOptions): JsonObject {
  const text = (key: string): string => {
    const value = given(wire, key);
    return isTruthy(value) ? plainText(value) : '';
  };
  const responseId = text('response_id');
  const place = {
    response_id: responseId === '' ? text('request_id') : responseId,
    sequence: wholeNumber(given(wire, 'sequence'), 'sequence'),
  };
  const frame = { request_id: text('request_id'), channel_id: text('channel'), agent_ref: given(wire, 'agent_ref') };
  if (isTruthy(given(wire, 'is_stream'))) {
    const payload = { ...tooLarge, event_type: E2A_ERROR_CODES.chatError };
    return encodeAgentChunkForWire({ ...place, chunk: { ...frame, payload, is_complete: true } }, options);
  }
  if (wire['type'] === 'event') return { type: 'event', event: 'response.error', payload: tooLarge };
  return encodeAgentResponseForWire({ ...place, response: { ...frame, payload: tooLarge, ok: false } }, options);
}
