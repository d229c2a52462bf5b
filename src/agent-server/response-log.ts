import type { Clock } from '../base/clock.js';
import { isJsonObject, type JsonObject } from '../e2a/index.js';
import { errorTypeOf, textOf } from './pieces.js';

/** Letters of an id, a kind or a name that a line repeats. */
const TEXT_MAX = 200;

/**
 * One response as one JSON line (E2A section 12.7): what is needed to sort and follow a run, and nothing of what was said. An
 * answer, a tool's input or an error's words may hold a secret; their names and sizes do not.
 */
export function responseLine(frame: JsonObject, bytes: number, clock: Clock): string {
  const body = isJsonObject(frame['body']) ? frame['body'] : {};
  const details = isJsonObject(body['details']) ? body['details'] : {};
  const delta = isJsonObject(body['delta']) ? body['delta'] : {};
  const event = textOf(body['event_type']);
  const failed = frame['response_kind'] === 'e2a.error' || event === 'chat.error';
  return JSON.stringify({
    time: new Date(clock.now()).toISOString(),
    request_id: short(frame['request_id']),
    response_id: short(frame['response_id']),
    sequence: typeof frame['sequence'] === 'number' ? frame['sequence'] : null,
    is_final: frame['is_final'] === true,
    response_kind: short(frame['response_kind']),
    timestamp: short(frame['timestamp']),
    status: short(frame['status']),
    session_id: short(frame['session_id']),
    ...(event === '' ? {} : { event_type: short(event) }),
    ...(failed ? { error_type: errorTypeOf(details, delta, body) } : {}),
    bytes,
  });
}

function short(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, TEXT_MAX) : null;
}
