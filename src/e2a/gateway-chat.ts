import { given, isJsonObject, isTruthy, type JsonObject, without } from './coerce.js';
import { ACP_PROMPT_METHOD } from './constants.js';
import { envelopeFromDict, type EnvelopeReading } from './envelope.js';
import { E2AError } from './errors.js';
import { mergeParamsToAcpPrompt } from './prompt.js';

/**
 * The text a person wrote, wherever an envelope keeps it: the fields an AgentServer reads, ACP's prompt, or the parts of
 * an A2A message. Empty when there is none.
 */
export function textOfEnvelope(envelope: JsonObject): string {
  const { params } = envelopeFromDict(envelope);
  const plain = ['query', 'content', 'text'].map((key) => given(params, key)).find(isTruthy);
  if (typeof plain === 'string') return plain;
  const prompt = textOfParts(given(mergeParamsToAcpPrompt({ ...envelope, method: ACP_PROMPT_METHOD }), 'prompt'));
  if (prompt !== '') return prompt;
  const message = given(params, 'message');
  return isJsonObject(message) ? textOfParts(given(message, 'parts')) : '';
}

/** The text among ACP's content blocks or A2A's parts, line by line. */
export function textOfParts(parts: unknown): string {
  const items: unknown[] = Array.isArray(parts) ? parts : [];
  return items
    .flatMap((part) => (isJsonObject(part) && typeof part['text'] === 'string' ? [part['text']] : []))
    .join('\n');
}

/**
 * An ACP prompt or an A2A message as the `chat.send` an AgentServer understands: it has no method `session/prompt` and
 * answers nothing to it (section 2), and it reads `query` and `content`, neither blocks nor parts.
 *
 * @throws {E2AError} `invalid_value` for another method, or when there is no text to send.
 */
export function envelopeToGatewayChat(envelope: JsonObject): EnvelopeReading {
  const read = envelopeFromDict(envelope);
  if (read.method === 'chat.send') return read;
  if (read.method !== ACP_PROMPT_METHOD) {
    throw new E2AError('invalid_value', 'only a session/prompt can become a chat.send');
  }
  const text = textOfEnvelope(envelope);
  if (text === '') throw new E2AError('invalid_value', 'there is no text to send');
  const rest = ['prompt', 'content_blocks', 'message', 'configuration'].reduce(without, read.params);
  return {
    ...read,
    request_id: read.request_id ?? read.jsonrpc_id ?? read.message_id,
    session_id: read.session_id ?? read.context_id,
    method: 'chat.send',
    params: { ...rest, query: text, content: text },
  };
}
