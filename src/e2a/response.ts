import Type, { type Static } from 'typebox';
import { given, isTruthy, type JsonObject, objectOrEmpty, plainText, wholeNumber, wireObject } from './coerce.js';
import { E2A_PROTOCOL_VERSION, E2A_RESPONSE_KINDS, E2A_RESPONSE_STATUSES, IDENTITY_ORIGINS } from './constants.js';
import { channelOf } from './envelope.js';
import { identityOrigin } from './identity.js';
import { E2AProvenanceSchema, provenanceFromDict, type ProvenanceReading } from './provenance.js';
import { JsonObjectSchema, JsonRpcIdSchema, Nullable, NullableText, TimestampSchema } from './schema-parts.js';
import { normalizeTimestamp } from './timestamp.js';

/** One record on its way from an agent (section 12.4), as the specification wants it. */
export const E2AResponseSchema = Type.Object({
  protocol_version: Type.String(),
  response_id: Type.String(),
  request_id: Type.String(),
  sequence: Type.Integer(),
  is_final: Type.Boolean(),
  status: Type.Enum(E2A_RESPONSE_STATUSES),
  response_kind: Type.Enum(E2A_RESPONSE_KINDS),
  timestamp: TimestampSchema,
  provenance: E2AProvenanceSchema,
  body: JsonObjectSchema,
  jsonrpc_id: JsonRpcIdSchema,
  correlation_id: NullableText,
  task_id: NullableText,
  context_id: NullableText,
  session_id: NullableText,
  message_id: NullableText,
  is_stream: Type.Boolean(),
  identity_origin: Type.Enum(IDENTITY_ORIGINS),
  channel: NullableText,
  user_id: NullableText,
  agent_ref: Nullable(JsonObjectSchema),
  source_agent_id: NullableText,
  method: NullableText,
  projections: JsonObjectSchema,
  channel_context: JsonObjectSchema,
  metadata: JsonObjectSchema,
  a2a_metadata: JsonObjectSchema,
  acp_meta: JsonObjectSchema,
});
export type E2AResponse = Static<typeof E2AResponseSchema>;

/** What reading takes over as it stands, so that its type is known only after `isE2AResponse` said yes. */
type TakenAsItStands =
  | 'protocol_version'
  | 'response_id'
  | 'request_id'
  | 'jsonrpc_id'
  | 'correlation_id'
  | 'task_id'
  | 'context_id'
  | 'session_id'
  | 'message_id'
  | 'identity_origin'
  | 'channel'
  | 'user_id'
  | 'agent_ref'
  | 'source_agent_id'
  | 'method';

/** A response as reading leaves it: every key is there, containers are sound, ids are whatever was sent. */
export type ResponseReading = Omit<
  E2AResponse,
  TakenAsItStands | 'provenance' | 'timestamp' | 'status' | 'response_kind'
> &
  Record<TakenAsItStands, unknown> & {
    provenance: ProvenanceReading;
    timestamp: string | null;
    status: string;
    response_kind: string;
  };

/**
 * Reads a response. Keys it does not know are dropped, absent ones defaulted; kinds and statuses of the future pass.
 * `metadata` is kept whole, the codec's own keys included, for the frame's reader needs them.
 *
 * @throws {E2AError} `invalid_value` for an unknown `identity_origin`, a time out of range, or a container that is none.
 */
export function responseFromDict(data: JsonObject | null): ResponseReading {
  const raw = wireObject(data, 'response');
  const kind = given(raw, 'response_kind');
  return {
    protocol_version: given(raw, 'protocol_version', E2A_PROTOCOL_VERSION),
    response_id: given(raw, 'response_id'),
    request_id: given(raw, 'request_id'),
    sequence: wholeNumber(given(raw, 'sequence'), 'sequence'),
    is_final: isTruthy(given(raw, 'is_final')),
    // The implementation writes the word "None" for null here, a status nobody can act on.
    status: plainText(given(raw, 'status') ?? 'in_progress'),
    response_kind: isTruthy(kind) ? plainText(kind) : '',
    timestamp: normalizeTimestamp(given(raw, 'timestamp')),
    provenance: provenanceFromDict(given(raw, 'provenance')),
    body: objectOrEmpty(given(raw, 'body'), 'body'),
    jsonrpc_id: given(raw, 'jsonrpc_id'),
    correlation_id: given(raw, 'correlation_id'),
    task_id: given(raw, 'task_id'),
    context_id: given(raw, 'context_id'),
    session_id: given(raw, 'session_id'),
    message_id: given(raw, 'message_id'),
    is_stream: isTruthy(given(raw, 'is_stream')),
    identity_origin: identityOrigin(raw, 'agent'),
    channel: channelOf(raw),
    user_id: given(raw, 'user_id'),
    agent_ref: given(raw, 'agent_ref'),
    source_agent_id: given(raw, 'source_agent_id'),
    method: given(raw, 'method'),
    projections: objectOrEmpty(given(raw, 'projections'), 'projections'),
    channel_context: objectOrEmpty(given(raw, 'channel_context'), 'channel_context'),
    metadata: objectOrEmpty(given(raw, 'metadata'), 'metadata'),
    a2a_metadata: objectOrEmpty(given(raw, 'a2a_metadata'), 'a2a_metadata'),
    acp_meta: objectOrEmpty(given(raw, 'acp_meta'), 'acp_meta'),
  };
}

/**
 * Writes a response for the wire: every key, nulls and empty containers too (the implementation omits nothing).
 * A plain object is read first, so a sparse one comes out whole.
 * @throws {E2AError} as {@link responseFromDict}.
 */
export function responseToDict(response: JsonObject | null): ResponseReading {
  return responseFromDict(response);
}

/** A response this product makes: the fields that matter, the rest at their defaults. */
export function buildResponse(fields: Partial<ResponseReading>): ResponseReading {
  return { ...responseFromDict(null), ...fields };
}
