import {
  E2AError,
  isE2aResponseWireDict,
  isJsonObject,
  isKeepalive,
  isServerPush,
  type JsonObject,
  parseAgentServerWireChunk,
  parseAgentServerWireUnary,
  responseFromDict,
} from '../e2a/index.js';

/** One frame of a server, as far as this program cares. */
export type Piece =
  /** Says only that the request is still at work; its number and its end mean nothing (E2A 12.3 does not count it). */
  | { readonly kind: 'keepalive'; readonly requestId: string }
  /** The server sent it by itself: it belongs to a conversation, not to the order or the end of a request. */
  | { readonly kind: 'push'; readonly requestId: string; readonly sessionId: string; readonly payload: JsonObject }
  /** Part of the answer; `isFinal` ends the request well. */
  | { readonly kind: 'event'; readonly requestId: string; readonly payload: JsonObject; readonly isFinal: boolean }
  /** The request failed as a whole. `errorType` groups failures; the server's own words are not passed on. */
  | { readonly kind: 'failure'; readonly requestId: string; readonly errorType: string };

/** Error types that may be shown and logged as they are: names, not sentences. */
const ERROR_TYPE = /^[\w.:-]{1,64}$/;
/** What a failure is called that names nothing better (E2A 12.9). */
const UNNAMED = 'chat.error';
/** All of a response that matters here: what else stands in it, or is new in it, must not make it unreadable. */
const READ = [
  'protocol_version',
  'response_kind',
  'request_id',
  'session_id',
  'is_final',
  'status',
  'body',
  'metadata',
] as const;
/** Error code of a server that has a request but could not begin it yet. */
export const WARMING = 'RUNTIME_WARMING';
/** Its event while it may still come to that. */
const WARMING_EVENT = 'runtime.warming';

/**
 * Reads one frame, E2A or legacy.
 * @throws {E2AError} for a frame that is neither, or can't be read; a live client logs and skips it
 */
export function readPiece(raw: JsonObject): Piece {
  if (!isE2aResponseWireDict(raw)) return legacyPiece(raw);
  const frame = Object.fromEntries(READ.filter((key) => Object.hasOwn(raw, key)).map((key) => [key, raw[key]]));
  const response = responseFromDict(frame);
  const requestId = textOf(response.request_id);
  if (isServerPush(response)) {
    return { kind: 'push', requestId, sessionId: textOf(response.session_id), payload: payloadOf(frame) };
  }
  if (isKeepalive(response)) return { kind: 'keepalive', requestId };
  const { body, is_final: isFinal, response_kind: kind, status } = response;
  if (kind === 'e2a.error' || (isFinal && status === 'failed')) {
    return { kind: 'failure', requestId, errorType: errorTypeOf(objectAt(body, 'details'), body) };
  }
  if (!isFinal) return { kind: 'event', requestId, payload: payloadOf(frame), isFinal };
  // The codec knows no last frame that is a piece of text; the specification does not rule one out (12.2, 12.5).
  const last = kind === 'e2a.chunk' ? { ...frame, is_final: false } : frame;
  // Whatever else is wrong with the last frame, it is the last one: without this the request would never end.
  return { kind: 'event', requestId, payload: isReadable(last) ? payloadOf(last) : {}, isFinal };
}

/** Whether a piece says that the server has the request and has not begun it: it may be asked again. */
export function isNotBegun(piece: Piece): boolean {
  return piece.kind === 'failure'
    ? piece.errorType === WARMING
    : piece.kind === 'event' && !piece.isFinal && piece.payload['event_type'] === WARMING_EVENT;
}

/** The name under which the failures in these objects are grouped: the first that has one counts. */
export function errorTypeOf(...sources: readonly JsonObject[]): string {
  for (const key of ['error_type', 'code']) {
    for (const source of sources) {
      const value = source[key];
      if (typeof value === 'string' && ERROR_TYPE.test(value)) return value;
    }
  }
  return UNNAMED;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function objectAt(source: JsonObject, key: string): JsonObject {
  const value = source[key];
  return isJsonObject(value) ? value : {};
}

/** The objects in a list, without whatever else stands in it. */
export function objectsAt(source: JsonObject, key: string): JsonObject[] {
  const value: unknown = source[key];
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.filter(isJsonObject);
}

function legacyPiece(frame: JsonObject): Piece {
  if (!Object.hasOwn(frame, 'ok')) {
    const chunk = parseAgentServerWireChunk(frame);
    return {
      kind: 'event',
      requestId: chunk.request_id,
      payload: isJsonObject(chunk.payload) ? chunk.payload : {},
      isFinal: chunk.is_complete,
    };
  }
  const answer = parseAgentServerWireUnary(frame);
  const payload = isJsonObject(answer.payload) ? answer.payload : {};
  return answer.ok
    ? { kind: 'event', requestId: answer.request_id, payload, isFinal: true }
    : { kind: 'failure', requestId: answer.request_id, errorType: errorTypeOf(payload) };
}

function payloadOf(frame: JsonObject): JsonObject {
  const { payload } = parseAgentServerWireChunk(frame);
  return isJsonObject(payload) ? payload : {};
}

function isReadable(frame: JsonObject): boolean {
  try {
    parseAgentServerWireChunk(frame);
    return true;
  } catch (error) {
    if (error instanceof E2AError) return false;
    throw error;
  }
}
