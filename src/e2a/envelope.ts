import Type, { type Static } from 'typebox';
import { authFromDict, type AuthReading, E2AAuthSchema } from './auth.js';
import {
  given,
  isJsonObject,
  isTruthy,
  type JsonObject,
  listOrEmpty,
  objectOrEmpty,
  wireObject,
  withMissing,
} from './coerce.js';
import {
  ACP_SESSION_UPDATE_KINDS,
  E2A_PROTOCOL_VERSION,
  E2A_WIRE_INTERNAL_METADATA_KEYS,
  IDENTITY_ORIGINS,
} from './constants.js';
import { identityOrigin } from './identity.js';
import { E2AProvenanceSchema, migrateLegacyBinding, provenanceFromDict, type ProvenanceReading } from './provenance.js';
import { JsonObjectSchema, JsonRpcIdSchema, Nullable, NullableText, TimestampSchema } from './schema-parts.js';
import { normalizeTimestamp } from './timestamp.js';

/** A request on its way to an agent (section 4), as the specification wants it. */
export const E2AEnvelopeSchema = Type.Object({
  protocol_version: Type.String(),
  provenance: E2AProvenanceSchema,
  request_id: NullableText,
  jsonrpc_id: JsonRpcIdSchema,
  correlation_id: NullableText,
  task_id: NullableText,
  context_id: NullableText,
  session_id: NullableText,
  message_id: NullableText,
  timestamp: Nullable(TimestampSchema),
  identity_origin: Type.Enum(IDENTITY_ORIGINS),
  channel: NullableText,
  user_id: NullableText,
  agent_ref: Nullable(JsonObjectSchema),
  chat_id: NullableText,
  source_agent_id: NullableText,
  agent_id: Type.Optional(NullableText),
  service_id: Type.Optional(NullableText),
  workspace_key: Type.Optional(NullableText),
  method: NullableText,
  params: JsonObjectSchema,
  ext_method: NullableText,
  session_update_kind: Nullable(Type.Enum(ACP_SESSION_UPDATE_KINDS)),
  is_stream: Type.Boolean(),
  expected_output_modes: Type.Array(Type.String()),
  auth: Nullable(E2AAuthSchema),
  channel_context: JsonObjectSchema,
  a2a_metadata: JsonObjectSchema,
  acp_meta: JsonObjectSchema,
});
export type E2AEnvelope = Static<typeof E2AEnvelopeSchema>;

/** What reading takes over as it stands, so that its type is known only after `isE2AEnvelope` said yes. */
type TakenAsItStands =
  | 'protocol_version'
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
  | 'chat_id'
  | 'source_agent_id'
  | 'method'
  | 'ext_method'
  | 'session_update_kind';

/** An envelope as reading leaves it: every key is there, containers are sound, ids are whatever was sent. */
export type EnvelopeReading = Omit<
  E2AEnvelope,
  TakenAsItStands | 'provenance' | 'auth' | 'timestamp' | 'expected_output_modes'
> &
  Record<TakenAsItStands, unknown> & {
    provenance: ProvenanceReading;
    auth: AuthReading | null;
    timestamp: string | null;
    expected_output_modes: unknown[];
  };

/** The enterprise line of the implementation has three more fields; the community line drops them. */
export type Edition = 'community' | 'enterprise';

/**
 * Reads an envelope, and every compatibility key of older senders (section 9): `channel_id`, `req_method`, `payload`,
 * `metadata`, `app_id`, `binding`, and times in epoch seconds. Keys it does not know are dropped, absent ones defaulted.
 *
 * @throws {E2AError} `invalid_value` for an unknown `identity_origin`, a time out of range, or a container that is none.
 */
export function envelopeFromDict(data: JsonObject | null, options: { edition?: Edition } = {}): EnvelopeReading {
  const raw = wireObject(data, 'envelope');
  return {
    protocol_version: given(raw, 'protocol_version', E2A_PROTOCOL_VERSION),
    provenance: migrateLegacyBinding(raw, provenanceFromDict(given(raw, 'provenance'))),
    request_id: given(raw, 'request_id'),
    jsonrpc_id: given(raw, 'jsonrpc_id'),
    correlation_id: given(raw, 'correlation_id'),
    task_id: given(raw, 'task_id'),
    context_id: given(raw, 'context_id'),
    session_id: given(raw, 'session_id'),
    message_id: given(raw, 'message_id'),
    timestamp: normalizeTimestamp(given(raw, 'timestamp')),
    identity_origin: identityOrigin(raw, 'user'),
    channel: channelOf(raw),
    user_id: given(raw, 'user_id'),
    agent_ref: given(raw, 'agent_ref'),
    chat_id: given(raw, 'chat_id'),
    source_agent_id: given(raw, 'source_agent_id'),
    ...(options.edition === 'enterprise' ? tenancyOf(raw) : {}),
    method: methodOf(raw),
    params: paramsOf(raw),
    ext_method: given(raw, 'ext_method'),
    session_update_kind: given(raw, 'session_update_kind'),
    is_stream: isTruthy(given(raw, 'is_stream')),
    expected_output_modes: listOrEmpty(given(raw, 'expected_output_modes'), 'expected_output_modes'),
    auth: authFromDict(given(raw, 'auth')),
    channel_context: channelContextOf(raw),
    a2a_metadata: objectOrEmpty(given(raw, 'a2a_metadata'), 'a2a_metadata'),
    acp_meta: objectOrEmpty(given(raw, 'acp_meta'), 'acp_meta'),
  };
}

/**
 * Writes an envelope for the wire: every key, nulls and empty containers too (the implementation omits nothing).
 * A plain object is read first, so a sparse one comes out whole.
 * @throws {E2AError} as {@link envelopeFromDict}.
 */
export function envelopeToDict(envelope: JsonObject | null, options: { edition?: Edition } = {}): EnvelopeReading {
  return envelopeFromDict(envelope, options);
}

/** `channel`, or the `channel_id` of older senders; only null gives way, an empty text does not (section 9). */
export function channelOf(raw: JsonObject): unknown {
  return given(raw, 'channel') ?? given(raw, 'channel_id');
}

function methodOf(raw: JsonObject): unknown {
  const legacy = given(raw, 'req_method');
  return given(raw, 'method') ?? (typeof legacy === 'string' ? legacy : null);
}

/** `params`, and what a legacy `payload` has beyond it: nothing set is overwritten, nothing empty comes over (section 9). */
function paramsOf(raw: JsonObject): JsonObject {
  const params = objectOrEmpty(given(raw, 'params'), 'params');
  const payload = given(raw, 'payload');
  if (!isJsonObject(payload)) return params;
  return withMissing(params, Object.fromEntries(Object.entries(payload).filter(([, value]) => !isVoid(value))));
}

/** Null and empty containers; an empty text, 0 and false are values. */
function isVoid(value: unknown): boolean {
  return value === null || (typeof value === 'object' && !isTruthy(value));
}

/**
 * `channel_context`, filled up from a top-level `metadata` and `app_id`. The specification says only when it is empty;
 * the implementation adds what is missing, without the keys that belong to the codec.
 */
function channelContextOf(raw: JsonObject): JsonObject {
  const context = objectOrEmpty(given(raw, 'channel_context'), 'channel_context');
  const metadata = given(raw, 'metadata');
  const appId = given(raw, 'app_id');
  const fromMetadata = Object.entries(isJsonObject(metadata) ? metadata : {}).filter(
    ([key]) => !E2A_WIRE_INTERNAL_METADATA_KEYS.has(key),
  );
  const filled = withMissing(context, Object.fromEntries(fromMetadata));
  return isTruthy(appId) ? withMissing(filled, { app_id: appId }) : filled;
}

/** Enterprise line: who owns the request. Blanks and what is no text count as absent. */
function tenancyOf(raw: JsonObject): {
  agent_id: string | null;
  service_id: string | null;
  workspace_key: string | null;
} {
  const name = (key: string): string | null => {
    const value = given(raw, key);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  return {
    agent_id: name('agent_id') ?? name('source_agent_id'),
    service_id: name('service_id'),
    workspace_key: name('workspace_key') ?? name('workspace_dir'),
  };
}
