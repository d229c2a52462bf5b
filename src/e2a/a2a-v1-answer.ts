import { A2A_STREAM_KEYS, e2aResponseToA2aStreamPayload } from './a2a-adapter.js';
import { taskStateV1 } from './a2a-v1-state.js';
import { FailureMemory } from './answer-failure.js';
import { given, isJsonObject, isTruthy, type JsonObject, plainText, unlessNull } from './coerce.js';
import { A2A_V1_KEYS, renamedObject } from './edge-keys.js';
import { isReasoning } from './reasoning.js';
import type { ResponseReading } from './response.js';
import { chunkPayload } from './wire-chunk-payload.js';

/**
 * The answer to one request as an A2A 1.0 stream. Text is appended to the artifact `<task>_response`, reasoning is a status
 * of a working task, the end is a status of one that is done or has failed; what A2A made itself goes on with its keys
 * and states in A2A's spelling. A whole answer, which follows its own pieces, is told only where no piece was.
 */
export class A2aV1AnswerStream {
  /** Whether the artifact has begun: A2A refuses to append to nothing. */
  #textSent = false;
  readonly #failure = new FailureMemory();

  /**
   * A response as events, mostly one; none for pieces A2A has no word for.
   * @throws {E2AError} as `responseFromDict`.
   */
  events(response: JsonObject): JsonObject[] {
    const events = eventsOf(this.#failure.read(response), this.#textSent);
    this.#textSent ||= events.some((event) => Object.hasOwn(event, 'artifactUpdate'));
    return events;
  }
}

function eventsOf(read: ResponseReading, textSent: boolean): JsonObject[] {
  const { response_kind: kind, body } = read;
  if (kind === 'a2a.task' || kind === 'a2a.message') return [v1Event({ [kind.slice('a2a.'.length)]: body })];
  if (kind === 'a2a.stream_event') {
    const event = e2aResponseToA2aStreamPayload(read);
    return event === null ? [] : [v1Event(event)];
  }
  if (kind === 'e2a.complete') {
    const result = given(body, 'result');
    const answer = isJsonObject(result) && !textSent ? text(read, given(result, 'content'), textSent) : [];
    return [...answer, status(read, 'TASK_STATE_COMPLETED')];
  }
  if (kind === 'e2a.error') return [status(read, 'TASK_STATE_FAILED', given(body, 'message'))];
  return kind === 'e2a.chunk' && !read.is_final ? pieceEvents(read, textSent) : [];
}

function pieceEvents(read: ResponseReading, textSent: boolean): JsonObject[] {
  const { payload } = chunkPayload(read);
  const content = given(payload, 'content');
  if (isReasoning(payload)) return [status(read, 'TASK_STATE_WORKING', content)];
  const isText = payload['event_type'] === 'chat.delta' || (payload['event_type'] === 'chat.final' && !textSent);
  return isText ? text(read, content, textSent) : [];
}

function text(read: ResponseReading, content: unknown, append: boolean): JsonObject[] {
  if (typeof content !== 'string' || content === '') return [];
  const ids = idsOf(read);
  const artifact = { artifactId: `${ids.taskId}_response`, parts: [{ text: content }] };
  return [{ artifactUpdate: { ...ids, artifact, append, lastChunk: false } }];
}

function status(read: ResponseReading, state: string, message: unknown = null): JsonObject {
  const ids = idsOf(read);
  const said = typeof message === 'string' && message !== '' ? message : null;
  const messageId = `${ids.taskId}_${String(read.sequence)}`;
  const spoken = said === null ? null : { messageId, role: 'ROLE_AGENT', parts: [{ text: said }], ...ids };
  return { statusUpdate: { ...ids, status: unlessNull({ state, message: spoken, timestamp: read.timestamp }) } };
}

function idsOf({ task_id, request_id, context_id, session_id }: ResponseReading): {
  taskId: string;
  contextId: string;
} {
  const name = (value: unknown): string => (isTruthy(value) ? plainText(value) : '');
  return { taskId: name(task_id ?? request_id), contextId: name(context_id ?? session_id ?? request_id) };
}

/** A2A's own event with keys and state in the spelling of 1.0, whatever spelling it had. */
function v1Event(event: JsonObject): JsonObject {
  const [[branch, content] = ['', null]] = Object.entries(renamedObject(A2A_V1_KEYS.toCamel(event)));
  const key = A2A_STREAM_KEYS[branch] ?? branch;
  if (!isJsonObject(content) || !isJsonObject(content['status'])) return { [key]: content };
  const named = { ...content['status'], state: taskStateV1(given(content['status'], 'state')) };
  return { [key]: { ...content, status: named } };
}
