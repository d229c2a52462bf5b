import { given, isJsonObject, isTruthy, type JsonObject, plainText, unlessNull } from './coerce.js';
import { ACP_V1_KEYS, renamedObject } from './edge-keys.js';
import { isReasoning } from './reasoning.js';

/**
 * One piece of a stream as ACP v1's `session/update` tells it, or null when ACP has no word for it. An `acp.session_update`
 * is mended where the implementation's shape is not v1's: a todo list becomes a plan, and what lacks a required field
 * (a plan without entries, usage without the window's size) is left out rather than refused by the peer.
 */
export function acpV1UpdateFromSessionUpdate(body: JsonObject): JsonObject | null {
  const update = renamedObject(ACP_V1_KEYS.toCamel(body));
  switch (update['sessionUpdate']) {
    case 'todo_update':
      return planOfTodos(given(update, 'todos'));
    case 'plan':
      return Array.isArray(update['entries']) ? update : null;
    case 'usage_update':
      return Number.isInteger(update['used']) && Number.isInteger(update['size']) ? update : null;
    default:
      return update;
  }
}

/**
 * A Gateway event (the payload of a chunk) as a `session/update`, or null when ACP has no word for it. `chat.final`
 * repeats what its pieces said, and is told only when `textSent` is false.
 */
export function acpV1UpdateFromEvent(payload: JsonObject, textSent: boolean): JsonObject | null {
  switch (payload['event_type']) {
    case 'chat.delta':
    case 'chat.reasoning':
      return textUpdate(
        isReasoning(payload) ? 'agent_thought_chunk' : 'agent_message_chunk',
        given(payload, 'content'),
      );
    case 'chat.final':
      return textSent ? null : textUpdate('agent_message_chunk', given(payload, 'content'));
    case 'chat.tool_call':
      return toolCall(payload);
    case 'chat.tool_update':
    case 'chat.tool_result':
      return toolResult(payload);
    case 'todo.updated':
      return planOfTodos(given(payload, 'todos'));
    default:
      return null;
  }
}

/** Text as a chunk; null when there is none, for ACP wants no empty ones. */
export function textUpdate(kind: 'agent_message_chunk' | 'agent_thought_chunk', text: unknown): JsonObject | null {
  return typeof text === 'string' && text !== '' ? { sessionUpdate: kind, content: { type: 'text', text } } : null;
}

function toolCall(payload: JsonObject): JsonObject | null {
  const call = given(payload, 'tool_call');
  if (!isJsonObject(call)) return null;
  const id = given(call, 'tool_call_id') ?? given(call, 'id');
  if (!isTruthy(id)) return null;
  const name = given(call, 'name');
  return unlessNull({
    sessionUpdate: 'tool_call',
    toolCallId: plainText(id),
    title: isTruthy(name) ? plainText(name) : 'tool',
    kind: 'other',
    status: 'pending',
    rawInput: given(call, 'arguments'),
  });
}

function toolResult(payload: JsonObject): JsonObject | null {
  const id = given(payload, 'tool_call_id');
  if (!isTruthy(id)) return null;
  const result = given(payload, 'result');
  const text = result === null || result === '' ? null : plainText(result);
  return unlessNull({
    sessionUpdate: 'tool_call_update',
    toolCallId: plainText(id),
    status: toolStatus(payload),
    content: text === null ? null : [{ type: 'content', content: { type: 'text', text } }],
  });
}

function toolStatus(payload: JsonObject): string {
  if (isTruthy(given(payload, 'error')) || isTruthy(given(payload, 'is_error')) || payload['success'] === false) {
    return 'failed';
  }
  return payload['event_type'] === 'chat.tool_result' ? 'completed' : 'in_progress';
}

const PLAN_STATUSES: readonly unknown[] = ['pending', 'in_progress', 'completed'];

function planOfTodos(todos: unknown): JsonObject | null {
  if (!Array.isArray(todos)) return null;
  const entries = todos.filter(isJsonObject).map((todo) => ({
    content: plainText(given(todo, 'content', '')),
    priority: 'medium',
    status: PLAN_STATUSES.includes(todo['status']) ? todo['status'] : 'pending',
  }));
  return { sessionUpdate: 'plan', entries };
}
