import { given, isJsonObject, isTruthy, type JsonObject, plainText } from './coerce.js';
import { E2A_CONVERTERS, E2A_ERROR_CODES } from './constants.js';
import { ACP_V1_KEYS, renamedObject } from './edge-keys.js';
import { type AnswerPlace, edgeResponse } from './edge-response.js';
import type { ResponseReading } from './response.js';
import type { ClockOptions } from './timestamp.js';

/**
 * A message of a real ACP v1 agent as a response: text and thoughts become `e2a.chunk`, the prompt's result
 * `e2a.complete`, an error `e2a.error`, any other update goes whole as `acp.session_update`. Null for a message that
 * answers nothing (a request of the agent to its client).
 */
export function responseFromAcpV1Message(
  message: JsonObject,
  place: AnswerPlace,
  options: ClockOptions = {},
): ResponseReading | null {
  const meaning = meaningOf(message);
  if (meaning === null) return null;
  return edgeResponse('acp', E2A_CONVERTERS.acpAnswer, meaning.detail, place, meaning.fields, options);
}

type Meaning = { detail: string; fields: Partial<ResponseReading> };

function meaningOf(message: JsonObject): Meaning | null {
  if (message['method'] === 'session/update') {
    const params = given(message, 'params');
    const update = isJsonObject(params) ? given(params, 'update') : null;
    return isJsonObject(update) ? { detail: 'session_update', fields: pieceOf(update) } : null;
  }
  const error = given(message, 'error');
  if (isJsonObject(error)) return { detail: 'jsonrpc_error', fields: errorOf(error) };
  const result = given(message, 'result');
  return isJsonObject(result) ? { detail: 'prompt_result', fields: resultOf(result, given(message, 'id')) } : null;
}

/** The result in E2A's spelling; as ACP wrote it, it stays beside (section 12.1, L3). */
function resultOf(result: JsonObject, id: unknown): Partial<ResponseReading> {
  return {
    is_final: true,
    status: 'succeeded',
    response_kind: 'e2a.complete',
    body: { result: renamedObject(ACP_V1_KEYS.toSnake(result)) },
    projections: { acp: { jsonrpc: '2.0', id, result } },
  };
}

const DELTA_KINDS: Readonly<Record<string, string>> = { agent_message_chunk: 'text', agent_thought_chunk: 'reasoning' };

function pieceOf(update: JsonObject): Partial<ResponseReading> {
  const kind = given(update, 'sessionUpdate');
  const content = given(update, 'content');
  const text = isJsonObject(content) ? given(content, 'text') : null;
  const deltaKind = typeof kind === 'string' && Object.hasOwn(DELTA_KINDS, kind) ? DELTA_KINDS[kind] : undefined;
  if (deltaKind === undefined || typeof text !== 'string') return { response_kind: 'acp.session_update', body: update };
  const source = deltaKind === 'reasoning' ? 'llm_reasoning' : null;
  const body = { delta_kind: deltaKind, delta: text, event_type: 'chat.delta', source_chunk_type: source };
  return { response_kind: 'e2a.chunk', body };
}

function errorOf(error: JsonObject): Partial<ResponseReading> {
  const message = given(error, 'message');
  const body = {
    code: given(error, 'code') ?? E2A_ERROR_CODES.agentError,
    message: isTruthy(message) ? plainText(message) : '',
    details: { error: isTruthy(message) ? plainText(message) : '', data: given(error, 'data') },
    external: { protocol: 'acp', type: 'jsonrpc_error', payload: error },
  };
  return { is_final: true, status: 'failed', response_kind: 'e2a.error', body };
}
