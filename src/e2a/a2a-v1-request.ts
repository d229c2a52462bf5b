import { envelopeFromA2aSendMessage } from './a2a-adapter.js';
import { given, isJsonObject, isTruthy, type JsonObject, plainText, unlessNull, wireObject } from './coerce.js';
import { A2A_V1_KEYS, renamedObject } from './edge-keys.js';
import { envelopeFromDict, type EnvelopeReading } from './envelope.js';
import { E2AError } from './errors.js';
import { textOfEnvelope } from './gateway-chat.js';
import type { ClockOptions } from './timestamp.js';

/**
 * An envelope as the request of A2A's SendMessage or SendStreamingMessage. A message that came from A2A goes on as it
 * was; any other envelope goes as one text part, with the request's id as the message's.
 *
 * @throws {E2AError} `invalid_value` when there is no text, or no id to give the message.
 */
export function a2aV1RequestFromEnvelope(envelope: JsonObject): JsonObject {
  const read = envelopeFromDict(envelope);
  const own = given(read.params, 'message');
  const message = isJsonObject(own) ? renamedObject(A2A_V1_KEYS.toCamel(own)) : textMessage(envelope, read);
  const configuration = renamedObject(A2A_V1_KEYS.toCamel(given(read.params, 'configuration')));
  const modes = read.expected_output_modes;
  return {
    message,
    ...(isTruthy(configuration) || modes.length > 0
      ? { configuration: { ...(modes.length > 0 ? { acceptedOutputModes: modes } : {}), ...configuration } }
      : {}),
    ...(isTruthy(read.a2a_metadata) ? { metadata: read.a2a_metadata } : {}),
  };
}

/**
 * The request of a real A2A 1.0 client's SendMessage as an envelope.
 * @throws {E2AError} `missing_field` without a message, `invalid_value` when a container is none.
 */
export function envelopeFromA2aV1Request(request: JsonObject, options: ClockOptions = {}): EnvelopeReading {
  const message = wireObject(given(request, 'message'), 'message');
  const fields = {
    task_id: given(message, 'taskId'),
    context_id: given(message, 'contextId'),
    message_body: message,
    metadata: given(request, 'metadata'),
    configuration: given(request, 'configuration'),
  };
  return { ...envelopeFromA2aSendMessage(fields, options), message_id: given(message, 'messageId') };
}

function textMessage(envelope: JsonObject, read: EnvelopeReading): JsonObject {
  const text = textOfEnvelope(envelope);
  const id = read.message_id ?? read.request_id ?? read.jsonrpc_id;
  if (text === '') throw new E2AError('invalid_value', 'there is no text to send');
  if (!isTruthy(id)) throw new E2AError('invalid_value', 'an A2A message needs an id');
  return unlessNull({
    messageId: plainText(id),
    role: 'ROLE_USER',
    parts: [{ text }],
    contextId: read.context_id ?? read.session_id,
    taskId: read.task_id,
  });
}
