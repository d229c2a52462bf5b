import Type, { type Static } from 'typebox';
import { given, isTruthy, type JsonObject, plainText } from './coerce.js';
import { E2AError } from './errors.js';

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
  const id = given(raw, 'request_id', undefined);
  if (id === undefined) throw new E2AError('missing_field', 'a legacy frame needs request_id');
  return plainText(id);
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
  for (const key of ['request_id', 'channel_id']) {
    if (given(raw, key, undefined) === undefined) throw new E2AError('missing_field', `an agent frame needs ${key}`);
  }
  return {
    request_id: raw['request_id'],
    channel_id: raw['channel_id'],
    payload: given(raw, 'payload'),
    agent_ref: given(raw, 'agent_ref'),
    metadata: given(raw, 'metadata'),
  };
}
