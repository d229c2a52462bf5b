import { outcomeOf, type A2aV1TaskState, taskStateV1 } from './a2a-v1-state.js';
import { given, isJsonObject, type JsonObject } from './coerce.js';
import { E2A_CONVERTERS } from './constants.js';
import { A2A_V1_KEYS, renamedObject } from './edge-keys.js';
import { type AnswerPlace, edgeResponse } from './edge-response.js';
import { textOfParts } from './gateway-chat.js';
import type { ResponseReading } from './response.js';
import type { ClockOptions } from './timestamp.js';

/** What a piece of an A2A stream means: text to show, an end, or an event to hand on whole. */
type Meaning = Partial<ResponseReading>;

/**
 * An event of a real A2A 1.0 agent's stream, or its answer to SendMessage, as responses numbered from `place.sequence`
 * on: text of artifacts and messages is an `e2a.chunk`, a state that ends the turn an `e2a.complete` or `e2a.error`, and
 * any other event goes whole as `a2a.stream_event`. Nothing comes of an event without one of the four branches.
 */
export function responsesFromA2aV1Event(
  event: JsonObject,
  place: AnswerPlace,
  options: ClockOptions = {},
): ResponseReading[] {
  return meaningsOf(event).map((meaning, index) => {
    const numbered = { ...place, sequence: place.sequence + index };
    return edgeResponse('a2a', E2A_CONVERTERS.a2aAnswer, 'stream_event', numbered, meaning, options);
  });
}

function meaningsOf(event: JsonObject): Meaning[] {
  const { message, task, statusUpdate, artifactUpdate } = event;
  if (isJsonObject(artifactUpdate)) return textOf(partsOf(artifactUpdate, 'artifact'), event);
  // A message is the whole answer of an agent that keeps no task.
  if (isJsonObject(message)) return [...textOf(given(message, 'parts')), complete('TASK_STATE_COMPLETED')];
  if (isJsonObject(statusUpdate)) return statusMeanings(given(statusUpdate, 'status'), event);
  if (!isJsonObject(task)) return [];
  const artifacts: unknown[] = Array.isArray(task['artifacts']) ? task['artifacts'] : [];
  const texts = artifacts.flatMap((artifact) => (isJsonObject(artifact) ? textOf(given(artifact, 'parts')) : []));
  return [...texts, ...statusMeanings(given(task, 'status'), event)];
}

function statusMeanings(status: unknown, event: JsonObject): Meaning[] {
  const state = taskStateV1(isJsonObject(status) ? given(status, 'state') : null);
  const parts = isJsonObject(status) ? partsOf(status, 'message') : null;
  switch (outcomeOf(state)) {
    case 'answered':
    case 'asks':
      return [...textOf(parts), complete(state)];
    case 'failed':
      return [failure(state, textOfParts(parts), event)];
    case 'runs':
      return [whole(event)];
  }
}

function partsOf(holder: JsonObject, key: string): unknown {
  const held = given(holder, key);
  return isJsonObject(held) ? given(held, 'parts') : null;
}

/** The text among the parts as a chunk; without any, the event whole if there is one to hand on. */
function textOf(parts: unknown, event?: JsonObject): Meaning[] {
  const text = textOfParts(parts);
  if (text === '') return event === undefined ? [] : [whole(event)];
  const body = { delta_kind: 'text', delta: text, event_type: 'chat.delta', source_chunk_type: null };
  return [{ response_kind: 'e2a.chunk', body }];
}

function complete(state: A2aV1TaskState): Meaning {
  return { is_final: true, status: 'succeeded', response_kind: 'e2a.complete', body: { result: { state } } };
}

function failure(state: A2aV1TaskState, message: string, event: JsonObject): Meaning {
  const body = {
    code: state,
    message,
    details: { error: message, code: state },
    external: { protocol: 'a2a', type: 'stream_event', payload: event },
  };
  return { is_final: true, status: 'failed', response_kind: 'e2a.error', body };
}

/** The event in E2A's own spelling. */
function whole(event: JsonObject): Meaning {
  const [[branch, payload] = ['', null]] = Object.entries(renamedObject(A2A_V1_KEYS.toSnake(event)));
  return { response_kind: 'a2a.stream_event', body: { branch, payload } };
}
