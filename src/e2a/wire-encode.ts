import { outgoingFrame, type OutgoingFrame } from './agent-frames.js';
import { given, isTruthy, type JsonObject, objectOrEmpty, plainText, requiredField, wireObject } from './coerce.js';
import { E2A_CONVERTERS, E2A_ERROR_CODES, SPEAKER_KEYS } from './constants.js';
import { E2AError } from './errors.js';
import { ownProvenance } from './provenance.js';
import { buildResponse, type ResponseReading } from './response.js';
import { type ClockOptions, timeOf } from './timestamp.js';
import { encodeFallback } from './wire-encode-fallback.js';

/** Arguments of {@link encodeAgentResponseForWire}; `response` is an `AgentResponse`, of which two ids suffice. */
export type EncodeResponseInput = { response: JsonObject; response_id: string; sequence?: number };

/** Arguments of {@link encodeAgentChunkForWire}; `chunk` is an `AgentResponseChunk`, of which two ids suffice. */
export type EncodeChunkInput = { chunk: JsonObject; response_id: string; sequence: number; is_stream?: boolean };

/**
 * The whole answer to a unary request as a wire frame (sections 12.2 to 12.5): always final, `e2a.complete` with the
 * payload as result, or `e2a.error` with the payload as details. A payload that is no object can't be told in E2A: the
 * frame then is an error that carries the response whole in `metadata` (section 12.4).
 *
 * @throws {E2AError} `missing_field` without response id, request id or channel id.
 */
export function encodeAgentResponseForWire(
  input: EncodeResponseInput | JsonObject,
  options: ClockOptions = {},
): ResponseReading {
  const raw: JsonObject = input;
  const response = wireObject(given(raw, 'response'), 'response');
  const frame = outgoingFrame(response);
  const place = {
    response_id: requiredField(raw, 'response_id', 'a wire frame'),
    sequence: sequenceOf(given(raw, 'sequence', 0)),
  };
  const ok = isTruthy(given(response, 'ok', true));
  const at = timeOf(options);
  try {
    const metadata = objectOrEmpty(frame.metadata, 'metadata');
    const payload = objectOrEmpty(frame.payload, 'payload');
    return buildResponse({
      ...place,
      ...addressOf(frame),
      ...(ok ? completed(payload) : failed(E2A_ERROR_CODES.agentError, agentErrorText(payload), payload)),
      timestamp: at,
      provenance: ownProvenance('e2a', E2A_CONVERTERS.agentResponse, at, { kind: 'legacy_agent_response', ok }),
      metadata,
    });
  } catch (error) {
    if (!(error instanceof E2AError)) throw error;
    return encodeFallback('response', response, { ...place, is_stream: false }, at);
  }
}

/**
 * One piece of a stream as a wire frame (sections 12.2 to 12.5). The last piece is `e2a.complete`, or `e2a.error` when it
 * tells a `chat.error`; text is an `e2a.chunk` of kind text or reasoning; every other event is one of kind custom with
 * the payload whole. A payload that is no object goes as in {@link encodeAgentResponseForWire}.
 *
 * @throws {E2AError} `missing_field` without response id, sequence, request id or channel id.
 */
export function encodeAgentChunkForWire(
  input: EncodeChunkInput | JsonObject,
  options: ClockOptions = {},
): ResponseReading {
  const raw: JsonObject = input;
  const chunk = wireObject(given(raw, 'chunk'), 'chunk');
  const frame = outgoingFrame(chunk);
  const place = {
    response_id: requiredField(raw, 'response_id', 'a wire frame'),
    sequence: sequenceOf(requiredField(raw, 'sequence', 'a wire frame')),
    is_stream: isTruthy(given(raw, 'is_stream', true)),
  };
  const isComplete = given(chunk, 'is_complete', false);
  const at = timeOf(options);
  try {
    const payload = objectOrEmpty(frame.payload, 'payload');
    return buildResponse({
      ...place,
      ...addressOf(frame),
      ...(isTruthy(isComplete) ? lastPiece(payload) : piece(payload)),
      timestamp: at,
      provenance: ownProvenance('e2a', E2A_CONVERTERS.agentChunk, at, {
        kind: 'legacy_agent_response_chunk',
        is_complete: isComplete,
      }),
      metadata: objectOrEmpty(frame.metadata, 'metadata'),
    });
  } catch (error) {
    if (!(error instanceof E2AError)) throw error;
    return encodeFallback('chunk', chunk, place, at);
  }
}

type Outcome = Pick<ResponseReading, 'is_final' | 'status' | 'response_kind' | 'body'>;

function completed(result: JsonObject): Outcome {
  return { is_final: true, status: 'succeeded', response_kind: 'e2a.complete', body: { result } };
}

function failed(code: string, message: string, details: JsonObject): Outcome {
  return { is_final: true, status: 'failed', response_kind: 'e2a.error', body: { code, message, details } };
}

function agentErrorText(payload: JsonObject): string {
  return plainText(given(payload, 'error', given(payload, 'message', 'Agent error')));
}

function lastPiece(payload: JsonObject): Outcome {
  if (payload['event_type'] === E2A_ERROR_CODES.chatError) {
    return failed(E2A_ERROR_CODES.chatError, plainText(given(payload, 'error', '')), payload);
  }
  const isBareMarker = Object.keys(payload).length === 1 && payload['is_complete'] === true;
  return completed(isBareMarker ? {} : payload);
}

function piece(payload: JsonObject): Outcome {
  const eventType = given(payload, 'event_type');
  const body =
    eventType === 'chat.delta' ? textBody(payload) : { delta_kind: 'custom', delta: payload, event_type: eventType };
  return { is_final: false, status: 'in_progress', response_kind: 'e2a.chunk', body };
}

function textBody(payload: JsonObject): JsonObject {
  const source = given(payload, 'source_chunk_type');
  const speaker = SPEAKER_KEYS.filter((key) => given(payload, key) !== null).map((key) => [key, payload[key]]);
  return {
    delta_kind: source === 'llm_reasoning' ? 'reasoning' : 'text',
    delta: given(payload, 'content', ''),
    event_type: 'chat.delta',
    source_chunk_type: source,
    ...(Object.fromEntries(speaker) as JsonObject),
  };
}

function addressOf(frame: OutgoingFrame): Pick<ResponseReading, 'request_id' | 'channel' | 'agent_ref'> {
  const { request_id, channel_id, agent_ref } = frame;
  return { request_id, channel: isTruthy(channel_id) ? channel_id : null, agent_ref };
}

function sequenceOf(value: unknown): number {
  if (typeof value !== 'number') throw new E2AError('invalid_value', 'sequence must be a number');
  return value;
}
