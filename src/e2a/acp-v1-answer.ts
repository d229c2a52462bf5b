import { acpV1UpdateFromEvent, acpV1UpdateFromSessionUpdate, textUpdate } from './acp-v1-update.js';
import { e2aResponseToAcpJsonrpcResponse } from './acp-adapter.js';
import { FailureMemory } from './answer-failure.js';
import { given, isJsonObject, type JsonObject, unlessNull } from './coerce.js';
import { ACP_V1_KEYS, renamedObject } from './edge-keys.js';
import type { ResponseReading } from './response.js';
import { chunkPayload } from './wire-chunk-payload.js';

/**
 * The answer to one prompt as an ACP v1 client understands it: pieces as `session/update`, the end as the prompt's result
 * or its error. A whole answer, which follows its own pieces, is told only where no piece was.
 */
export class AcpV1AnswerStream {
  #textSent = false;
  readonly #failure = new FailureMemory();

  /**
   * A response as messages, mostly one; none for pieces ACP has no word for.
   * @throws {E2AError} as `responseFromDict`.
   */
  messages(response: JsonObject): JsonObject[] {
    const read = this.#failure.read(response);
    const updates = updatesOf(read, this.#textSent);
    this.#textSent ||= updates.some((update) => update['sessionUpdate'] === 'agent_message_chunk');
    const { session_id: sessionId } = read;
    const told = updates.map((update) => ({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } }));
    return [...told, ...endOf(read)];
  }
}

function updatesOf(read: ResponseReading, textSent: boolean): JsonObject[] {
  const { response_kind: kind, body } = read;
  const update = ((): JsonObject | null => {
    if (kind === 'acp.session_update') return acpV1UpdateFromSessionUpdate(body);
    if (kind === 'e2a.chunk' && !read.is_final) return acpV1UpdateFromEvent(chunkPayload(read).payload, textSent);
    const result = kind === 'e2a.complete' && !textSent ? given(body, 'result') : null;
    return isJsonObject(result) ? textUpdate('agent_message_chunk', given(result, 'content')) : null;
  })();
  return update === null ? [] : [update];
}

function endOf(read: ResponseReading): JsonObject[] {
  const ready = e2aResponseToAcpJsonrpcResponse(read);
  if (ready === null && read.response_kind !== 'e2a.complete') return [];
  const { error, id, result } = ready ?? { id: read.jsonrpc_id, result: given(read.body, 'result') };
  const answer = error === undefined ? { result: promptResult(isJsonObject(result) ? result : {}) } : { error };
  return [{ jsonrpc: '2.0', id: id ?? read.request_id, ...answer }];
}

/** ACP wants to know why a turn ended; an agent that does not say ended it by itself. */
function promptResult(result: JsonObject): JsonObject {
  const { stopReason, userMessageId, _meta } = renamedObject(ACP_V1_KEYS.toCamel(result));
  return unlessNull({
    stopReason: typeof stopReason === 'string' ? stopReason : 'end_turn',
    userMessageId: userMessageId ?? null,
    _meta: _meta ?? null,
  });
}
