import { type AgentResponse, type AgentResponseChunk, legacyAgentChunk, legacyAgentResponse } from './agent-frames.js';
import { given, isJsonObject, isTruthy, type JsonObject, plainText, wireObject } from './coerce.js';
import {
  E2A_PROTOCOL_VERSION,
  E2A_WIRE_LEGACY_AGENT_CHUNK_KEY,
  E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY,
} from './constants.js';
import { E2AError } from './errors.js';
import { chunkPayload } from './wire-chunk-payload.js';
import { responseFromDict, type ResponseReading } from './response.js';

/**
 * Whether a frame is an E2A response: an object of this protocol version with a `response_kind`, and no `event` frame
 * such as `connection.ack`.
 */
export function isE2aResponseWireDict(frame: unknown): frame is JsonObject {
  if (!isJsonObject(frame) || frame['type'] === 'event' || frame['protocol_version'] !== E2A_PROTOCOL_VERSION)
    return false;
  const kind = frame['response_kind'];
  return typeof kind === 'string' && kind.trim() !== '';
}

/**
 * A frame as the answer to a unary request: an E2A response, one that carries a legacy response, or a bare legacy
 * response. An error's payload is its details; empty details win too, and then code and message are lost.
 *
 * @throws {E2AError} `unrecognized_frame` for any other shape, `unsupported_response` for a response that is neither a
 * success nor a failure (a stream's piece, say), `missing_field` and `invalid_value` for one that can't be read.
 */
export function parseAgentServerWireUnary(frame: JsonObject): AgentResponse {
  const raw = wireObject(frame, 'frame');
  if (!isE2aResponseWireDict(raw)) {
    if (has(raw, 'request_id', 'channel_id', 'ok')) return legacyAgentResponse(raw);
    throw new E2AError('unrecognized_frame', 'the frame is neither an E2A response nor a legacy agent response');
  }
  const response = responseFromDict(raw);
  const legacy = given(response.metadata, E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY);
  if (isJsonObject(legacy)) return legacyAgentResponse(legacy);
  const { status, response_kind: kind } = response;
  if (kind === 'e2a.complete' && status === 'succeeded') {
    return { ...unaryFrame(response), ok: true, payload: objectOr(given(response.body, 'result'), {}) };
  }
  if (kind === 'e2a.error' || status === 'failed') {
    const told = { error: given(response.body, 'message', 'Agent error'), code: given(response.body, 'code') };
    return { ...unaryFrame(response), ok: false, payload: objectOr(given(response.body, 'details'), told) };
  }
  throw new E2AError(
    'unsupported_response',
    'a unary answer must have succeeded or failed; is this a piece of a stream?',
  );
}

/**
 * A frame as a piece of a stream: an E2A response, one that carries a legacy chunk, or a bare legacy chunk.
 *
 * @throws {E2AError} `unrecognized_frame` for any other shape, `unsupported_response` for a kind that is no piece of a
 * stream or contradicts `is_final`, `missing_field` and `invalid_value` for one that can't be read. A live client logs
 * and skips such a frame.
 */
export function parseAgentServerWireChunk(frame: JsonObject): AgentResponseChunk {
  const raw = wireObject(frame, 'frame');
  if (!isE2aResponseWireDict(raw)) {
    if (has(raw, 'request_id', 'channel_id', 'is_complete', 'payload') && !has(raw, 'ok')) return legacyAgentChunk(raw);
    throw new E2AError('unrecognized_frame', 'the frame is neither an E2A response nor a legacy agent chunk');
  }
  const response = responseFromDict(raw);
  const legacy = given(response.metadata, E2A_WIRE_LEGACY_AGENT_CHUNK_KEY);
  if (isJsonObject(legacy)) return legacyAgentChunk(legacy);
  return {
    request_id: idText(response.request_id),
    channel_id: idText(response.channel),
    ...chunkPayload(response),
    agent_ref: isTruthy(response.agent_ref) ? response.agent_ref : null,
    metadata: metadataOrNull(response),
  };
}

function has(raw: JsonObject, ...keys: string[]): boolean {
  return keys.every((key) => Object.hasOwn(raw, key));
}

function unaryFrame(response: ResponseReading): Omit<AgentResponse, 'ok' | 'payload'> {
  return {
    request_id: idText(response.request_id),
    channel_id: idText(response.channel),
    metadata: metadataOrNull(response),
    agent_ref: null,
  };
}

function idText(value: unknown): string {
  return isTruthy(value) ? plainText(value) : '';
}

function metadataOrNull(response: ResponseReading): JsonObject | null {
  return isTruthy(response.metadata) ? response.metadata : null;
}

function objectOr(value: unknown, otherwise: JsonObject): JsonObject {
  return isJsonObject(value) ? { ...value } : otherwise;
}
