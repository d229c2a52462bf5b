import { given, isTruthy, type JsonObject, objectOrEmpty, plainText, requiredField, wireObject } from './coerce.js';
import { envelopeFromDict, type EnvelopeReading } from './envelope.js';
import { E2AError } from './errors.js';
import { buildFallbackE2a } from './fallback-envelope.js';

/** A message as a Gateway's channels hand it in. `timestamp` is epoch seconds. */
export type GatewayMessage = {
  id: string;
  channel_id: string;
  session_id?: string | null;
  user_id?: string | null;
  chat_id?: string | null;
  app_id?: string | null;
  agent_ref?: JsonObject | null;
  params?: JsonObject | null;
  timestamp: number;
  req_method?: string | null;
  is_stream?: boolean;
  metadata?: JsonObject | null;
  group_digital_avatar?: boolean;
  enable_memory?: boolean | null;
};

/**
 * A message as an envelope (section 10). What has no field of its own goes to `channel_context`; the memory switch is
 * turned off only where the message says so, in a group, by a digital avatar.
 *
 * @throws {E2AError} as `envelopeFromDict`.
 */
export function messageToE2a(message: GatewayMessage | JsonObject): EnvelopeReading {
  const raw: JsonObject = message;
  const method = given(raw, 'req_method');
  return envelopeFromDict({
    request_id: given(raw, 'id'),
    channel_id: given(raw, 'channel_id'),
    session_id: given(raw, 'session_id'),
    user_id: given(raw, 'user_id'),
    chat_id: given(raw, 'chat_id'),
    params: objectOrEmpty(given(raw, 'params'), 'params'),
    is_stream: given(raw, 'is_stream'),
    timestamp: given(raw, 'timestamp'),
    method: method === null ? null : plainText(method),
    metadata: metadataOf(raw),
    ...(isTruthy(given(raw, 'agent_ref')) ? { agent_ref: raw['agent_ref'] } : {}),
    ...(isTruthy(given(raw, 'app_id')) ? { app_id: raw['app_id'] } : {}),
  });
}

/**
 * A message as an envelope, or as a fallback envelope when it can't be normalised or has a blank id.
 * @throws {E2AError} `invalid_value` when not even a legacy request can be made of it: params or metadata are no objects.
 */
export function messageToE2aOrFallback(message: GatewayMessage | JsonObject): EnvelopeReading {
  try {
    const envelope = messageToE2a(message);
    const id = envelope.request_id;
    if (isTruthy(id) && plainText(id).trim() !== '') return envelope;
  } catch (error) {
    if (!(error instanceof E2AError)) throw error;
  }
  return buildFallbackE2a(messageToLegacyRequest(message));
}

/** A message as the request object that was sent before E2A. */
export function messageToLegacyRequest(message: GatewayMessage | JsonObject): JsonObject {
  const raw: JsonObject = message;
  const method = given(raw, 'req_method');
  const metadata = objectOrEmpty(given(raw, 'metadata'), 'metadata');
  return {
    request_id: given(raw, 'id'),
    channel_id: given(raw, 'channel_id'),
    session_id: given(raw, 'session_id'),
    user_id: given(raw, 'user_id'),
    req_method: method === null ? null : plainText(method),
    params: objectOrEmpty(given(raw, 'params'), 'params'),
    is_stream: isTruthy(given(raw, 'is_stream')),
    timestamp: Number(given(raw, 'timestamp')),
    ...(isTruthy(metadata) ? { metadata } : {}),
  };
}

function metadataOf(raw: JsonObject): JsonObject {
  const metadata = objectOrEmpty(given(raw, 'metadata'), 'metadata');
  const memory = given(raw, 'enable_memory');
  const avatar = given(raw, 'group_digital_avatar');
  const inGroup = isTruthy(given(metadata, 'avatar_mode'));
  const memoryOff = memory === false && avatar === true && inGroup;
  return {
    ...metadata,
    ...(memory === null ? {} : { enable_memory: !memoryOff }),
    ...(isTruthy(avatar) ? { group_digital_avatar: avatar } : {}),
  };
}

/** The fields of an agent request, named as they were before E2A (section 10). `timestamp` is epoch seconds. */
export type AgentFields = {
  request_id: string;
  channel_id?: string;
  session_id?: string | null;
  user_id?: string | null;
  req_method?: string | null;
  params?: JsonObject | null;
  is_stream?: boolean;
  timestamp?: number;
  metadata?: JsonObject | null;
};

/**
 * An envelope from the fields of an agent request (heartbeats, interrupts, `session.create`).
 * @throws {E2AError} `missing_field` without a request id, and as `envelopeFromDict`.
 */
export function e2aFromAgentFields(fields: AgentFields | JsonObject): EnvelopeReading {
  const raw = wireObject(fields, 'fields');
  const method = given(raw, 'req_method');
  return envelopeFromDict({
    request_id: requiredField(raw, 'request_id', 'an agent request'),
    channel_id: given(raw, 'channel_id', ''),
    session_id: given(raw, 'session_id'),
    user_id: given(raw, 'user_id'),
    params: objectOrEmpty(given(raw, 'params'), 'params'),
    is_stream: given(raw, 'is_stream'),
    timestamp: given(raw, 'timestamp', 0),
    method: method === null ? null : plainText(method),
    metadata: objectOrEmpty(given(raw, 'metadata'), 'metadata'),
  });
}
