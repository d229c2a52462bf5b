import { given, isJsonObject, type JsonObject } from './coerce.js';
import { responseFromDict, type ResponseReading } from './response.js';
import { isServerPush } from './server-push.js';

/**
 * The order of the responses to one request (section 12.3): `sequence` is 0, 1, 2 and so on, and exactly one response,
 * the last, has `is_final`. A missing end is no violation, for a connection may break; it is only not an end.
 */

/** - `sequence_start`: the first response is not number 0.
 *  - `sequence_gap`: numbers are missing before this one.
 *  - `sequence_repeated`: this number, or a later one, was there before.
 *  - `after_final`: the stream had ended. */
export type StreamViolation = 'sequence_start' | 'sequence_gap' | 'sequence_repeated' | 'after_final';

export type StreamVerdict =
  /** In order. `isFinal`: this is the end, successful or not. */
  | { kind: 'in_order'; isFinal: boolean }
  /** A keepalive, or something the server pushed by itself: it shares the request id and nothing else. */
  | { kind: 'aside'; reason: 'keepalive' | 'server_push' }
  /** Against section 12.3. `isFinal` still counts: an error that starts again at 0 does end the stream. */
  | { kind: 'violation'; violation: StreamViolation; isFinal: boolean };

/** Where a stream stands. `open` before and within, `ended` after its final response. */
export type StreamState = { status: 'open' | 'ended'; next: number };

/** The state of a stream of which nothing has come. */
export const NEW_STREAM: StreamState = { status: 'open', next: 0 };

/** Takes one response of a stream: what it is, and where the stream stands after it. The old state is not changed. */
export function advanceStream(
  state: StreamState,
  response: ResponseReading,
): { state: StreamState; verdict: StreamVerdict } {
  if (isServerPush(response)) return { state, verdict: { kind: 'aside', reason: 'server_push' } };
  if (isKeepalive(response)) return { state, verdict: { kind: 'aside', reason: 'keepalive' } };
  const { sequence, is_final: isFinal } = response;
  if (state.status === 'ended') return { state, verdict: { kind: 'violation', violation: 'after_final', isFinal } };
  const violation = orderViolation(state.next, sequence);
  return {
    state: { status: isFinal ? 'ended' : 'open', next: Math.max(state.next, sequence + 1) },
    verdict: violation === undefined ? { kind: 'in_order', isFinal } : { kind: 'violation', violation, isFinal },
  };
}

function orderViolation(expected: number, sequence: number): StreamViolation | undefined {
  if (sequence === expected) return undefined;
  if (sequence < expected) return 'sequence_repeated';
  return expected === 0 ? 'sequence_start' : 'sequence_gap';
}

/** Whether a response only says that the connection lives; its `sequence` is -1 and it may come after the end. */
export function isKeepalive({ response_kind: kind, body }: Pick<ResponseReading, 'response_kind' | 'body'>): boolean {
  if (kind !== 'e2a.chunk') return false;
  const delta = given(body, 'delta');
  return body['event_type'] === 'keepalive' || (isJsonObject(delta) && delta['event_type'] === 'keepalive');
}

/** Follows many streams at once, by request id. */
export class StreamChecker {
  readonly #streams = new Map<unknown, StreamState>();

  /**
   * Takes the next response off a wire.
   * @throws {E2AError} `invalid_value` as `responseFromDict`.
   */
  accept(response: JsonObject): StreamVerdict {
    const read = responseFromDict(response);
    const { state, verdict } = advanceStream(this.#streams.get(read.request_id) ?? NEW_STREAM, read);
    this.#streams.set(read.request_id, state);
    return verdict;
  }

  /** Whether a request's stream has come to its end; false too for one that is not known. */
  hasEnded(requestId: string): boolean {
    return this.#streams.get(requestId)?.status === 'ended';
  }

  /** The requests that have begun and not ended. */
  unfinished(): string[] {
    return [...this.#streams].flatMap(([id, { status, next }]) =>
      typeof id === 'string' && status === 'open' && next > 0 ? [id] : [],
    );
  }

  /** Forgets a request, so that a long-lived checker does not grow. */
  forget(requestId: string): void {
    this.#streams.delete(requestId);
  }
}
