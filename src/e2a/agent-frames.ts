import Type, { type Static } from 'typebox';
import { given, isTruthy, type JsonObject, plainText, requiredField } from './coerce.js';

/**
 * What a Gateway and an AgentServer mean by a frame, before it is E2A and after: the older `AgentResponse` (the whole
 * answer to a unary request) and `AgentResponseChunk` (one piece of a stream).
 */

const JsonValue = Type.Unknown();

export const AgentResponseSchema = Type.Object({
  request_id: Type.String(),
  channel_id: Type.String(),
  ok: Type.Boolean(),
  payload: JsonValue,
  metadata: JsonValue,
  agent_ref: JsonValue,
});
export type AgentResponse = Static<typeof AgentResponseSchema>;

export const AgentResponseChunkSchema = Type.Object({
  request_id: Type.String(),
  channel_id: Type.String(),
  payload: JsonValue,
  is_complete: Type.Boolean(),
  agent_ref: JsonValue,
  metadata: JsonValue,
});
export type AgentResponseChunk = Static<typeof AgentResponseChunkSchema>;

/**
 * A response from a legacy frame.
 * @throws {E2AError} `missing_field` without a request id.
 */
export function legacyAgentResponse(raw: JsonObject): AgentResponse {
  return {
    request_id: legacyRequestId(raw),
    channel_id: plainText(given(raw, 'channel_id', '')),
    ok: isTruthy(given(raw, 'ok', true)),
    payload: given(raw, 'payload'),
    metadata: given(raw, 'metadata'),
    agent_ref: null,
  };
}

/**
 * A chunk from a legacy frame; such frames carry no metadata.
 * @throws {E2AError} `missing_field` without a request id.
 */
export function legacyAgentChunk(raw: JsonObject): AgentResponseChunk {
  return {
    request_id: legacyRequestId(raw),
    channel_id: plainText(given(raw, 'channel_id', '')),
    payload: given(raw, 'payload'),
    is_complete: isTruthy(given(raw, 'is_complete')),
    agent_ref: null,
    metadata: {},
  };
}

function legacyRequestId(raw: JsonObject): string {
  return plainText(requiredField(raw, 'request_id', 'a legacy frame'));
}

/** A frame that is about to be encoded: required are `request_id` and `channel_id`. */
export type OutgoingFrame = {
  request_id: unknown;
  channel_id: unknown;
  payload: unknown;
  agent_ref: unknown;
  metadata: unknown;
};

/**
 * The parts of a response or chunk to encode.
 * @throws {E2AError} `missing_field` without request or channel id.
 */
export function outgoingFrame(raw: JsonObject): OutgoingFrame {
  return {
    request_id: requiredField(raw, 'request_id', 'an agent frame'),
    channel_id: requiredField(raw, 'channel_id', 'an agent frame'),
    payload: given(raw, 'payload'),
    agent_ref: given(raw, 'agent_ref'),
    metadata: given(raw, 'metadata'),
  };
}
