import { given, isJsonObject, isTruthy, type JsonObject, objectOrEmpty, plainText, requiredField } from './coerce.js';
import { ACP_PROMPT_METHOD, E2A_CONVERTERS } from './constants.js';
import { envelopeFromDict, type EnvelopeReading } from './envelope.js';
import { responseFromDict } from './response.js';
import { type ClockOptions, timeOf } from './timestamp.js';

/** The parts of an A2A SendMessage. `metadata` is A2A's, not a channel's (section 8). */
export type A2aSendMessage = {
  task_id: string | null;
  context_id: string | null;
  message_body: JsonObject;
  metadata?: JsonObject | null;
  configuration?: JsonObject | null;
  channel?: string | null;
  identity_origin?: string | null;
  converter?: string | null;
  extra_provenance_details?: JsonObject | null;
};

/**
 * An A2A SendMessage as an envelope (section 8): message and configuration whole in `params`, method `session/prompt`.
 * The message's own ids are not copied, and no text is taken out of it (see `gateway-chat.ts` for that).
 *
 * @throws {E2AError} `missing_field` without task, context or message, `invalid_value` when a container is none.
 */
export function envelopeFromA2aSendMessage(
  message: A2aSendMessage | JsonObject,
  options: ClockOptions = {},
): EnvelopeReading {
  const raw: JsonObject = message;
  const needed = (key: string): unknown => requiredField(raw, key, 'an A2A message');
  const configuration = objectOrEmpty(given(raw, 'configuration'), 'configuration');
  const modes = given(configuration, 'acceptedOutputModes');
  const converter = given(raw, 'converter');
  return {
    ...envelopeFromDict(null),
    provenance: {
      source_protocol: 'a2a',
      converter: isTruthy(converter) ? converter : E2A_CONVERTERS.fromA2a,
      converted_at: timeOf(options),
      details: {
        kind: 'a2a_send_message',
        abstract_operation: 'SendMessage',
        ...objectOrEmpty(given(raw, 'extra_provenance_details'), 'extra_provenance_details'),
      },
    },
    task_id: needed('task_id'),
    context_id: needed('context_id'),
    channel: given(raw, 'channel'),
    identity_origin: given(raw, 'identity_origin', 'user'),
    method: ACP_PROMPT_METHOD,
    params: { message: needed('message_body'), configuration },
    expected_output_modes: Array.isArray(modes) ? modes.map(plainText) : [],
    a2a_metadata: objectOrEmpty(given(raw, 'metadata'), 'metadata'),
  };
}

/** The stream branches of E2A, and what A2A's JSON calls them. */
export const A2A_STREAM_KEYS: Readonly<Record<string, string>> = {
  task: 'task',
  message: 'message',
  status_update: 'statusUpdate',
  artifact_update: 'artifactUpdate',
};

/**
 * The response as one A2A `StreamResponse` with exactly one branch (sections 8 and 12.6), or null when it is none: only
 * `a2a.stream_event` is, with a branch this protocol knows and an object in it. A ready-made `projections.a2a` wins.
 * Keys inside the branch are not touched.
 *
 * @throws {E2AError} as `responseFromDict`.
 */
export function e2aResponseToA2aStreamPayload(response: JsonObject): JsonObject | null {
  const { response_kind: kind, projections, body } = responseFromDict(response);
  if (kind !== 'a2a.stream_event') return null;
  const ready = given(projections, 'a2a');
  if (isJsonObject(ready)) {
    const keys = Object.keys(ready);
    if (keys.length === 1 && Object.values(A2A_STREAM_KEYS).some((known) => known === keys[0])) return { ...ready };
  }
  const branch = given(body, 'branch');
  const payload = given(body, 'payload');
  const key =
    typeof branch === 'string' && Object.hasOwn(A2A_STREAM_KEYS, branch) ? A2A_STREAM_KEYS[branch] : undefined;
  return key !== undefined && isJsonObject(payload) ? { [key]: payload } : null;
}
