import { envelopeFromAcpJsonrpc } from './acp-adapter.js';
import { given, isJsonObject, isTruthy, type JsonObject, unlessNull, wireObject } from './coerce.js';
import { ACP_CLIENT_TO_AGENT_METHODS, ACP_PROMPT_METHOD } from './constants.js';
import { ACP_V1_KEYS, renamedObject } from './edge-keys.js';
import { envelopeFromDict, type EnvelopeReading } from './envelope.js';
import { E2AError } from './errors.js';
import { textOfEnvelope } from './gateway-chat.js';
import { mergeParamsToAcpPrompt } from './prompt.js';
import type { ClockOptions } from './timestamp.js';

/**
 * Calls as a real ACP v1 peer takes and makes them. `envelopeToAcpJsonrpcCall` keeps E2A's snake_case, which such a peer
 * refuses: it wants `sessionId`, `mimeType`, an id, and a method of its own.
 */

/** A JSON-RPC request, or a notification when it has no id. */
export type AcpV1Call = { jsonrpc: '2.0'; id?: string | number; method: string; params: JsonObject };

/**
 * An envelope as an ACP v1 call: `session/prompt` and `chat.send` ask, a cancelling `chat.interrupt` is the notification
 * `session/cancel`, ACP's other methods go with their keys renamed. The id is `jsonrpc_id`, else `request_id`.
 *
 * @throws {E2AError} `invalid_value` for a method ACP has no word for, a prompt without session or without content, or
 * a request without id.
 */
export function acpV1CallFromEnvelope(envelope: JsonObject): AcpV1Call {
  const read = envelopeFromDict(envelope);
  const { method } = read;
  if (method === ACP_PROMPT_METHOD || method === 'chat.send') {
    return request(read, ACP_PROMPT_METHOD, promptParams(envelope, read));
  }
  if (
    method === 'session/cancel' ||
    (method === 'chat.interrupt' && (read.params['intent'] ?? 'cancel') === 'cancel')
  ) {
    return { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: sessionOf(read) } };
  }
  const known = ACP_CLIENT_TO_AGENT_METHODS.find((name) => name === method);
  const named = known ?? (method === 'ext' ? read.ext_method : undefined);
  if (typeof named !== 'string') throw new E2AError('invalid_value', 'ACP has no such method');
  return request(read, named, known === undefined ? read.params : renamedObject(ACP_V1_KEYS.toCamel(read.params)));
}

/** A call of a real ACP v1 client as an envelope, its keys in E2A's spelling and its session in `session_id`. */
export function envelopeFromAcpV1Call(call: AcpV1Call | JsonObject, options: ClockOptions = {}): EnvelopeReading {
  const raw: JsonObject = call;
  const params = renamedObject(ACP_V1_KEYS.toSnake(wireObject(given(raw, 'params'), 'params')));
  const fields = unlessNull({ method: given(raw, 'method'), jsonrpc_id: given(raw, 'id'), params });
  return envelopeFromAcpJsonrpc(fields, options);
}

function request({ jsonrpc_id, request_id }: EnvelopeReading, method: string, params: JsonObject): AcpV1Call {
  const id = jsonrpc_id ?? request_id;
  if (typeof id !== 'string' && typeof id !== 'number')
    throw new E2AError('invalid_value', 'an ACP request needs an id');
  return { jsonrpc: '2.0', id, method, params };
}

/** Only what ACP asks for: the Gateway's own parameters (mode, files, trusted folders) mean nothing to such a peer. */
function promptParams(envelope: JsonObject, read: EnvelopeReading): JsonObject {
  const merged = mergeParamsToAcpPrompt({ ...envelope, method: ACP_PROMPT_METHOD });
  const text = textOfEnvelope(envelope);
  const blocks: unknown = given(merged, 'prompt') ?? (text === '' ? [] : [{ type: 'text', text }]);
  if (!Array.isArray(blocks) || blocks.length === 0) throw new E2AError('invalid_value', 'the prompt has no content');
  const meta = given(merged, '_meta');
  return {
    sessionId: sessionOf(read),
    prompt: blocks.map((block) => ACP_V1_KEYS.toCamel(block)),
    ...(isJsonObject(meta) && isTruthy(meta) ? { _meta: meta } : {}),
  };
}

function sessionOf({ params, session_id: own }: EnvelopeReading): string {
  const session = given(params, 'session_id') ?? own;
  if (typeof session !== 'string' || session === '') throw new E2AError('invalid_value', 'ACP needs a session');
  return session;
}
