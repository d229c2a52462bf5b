import { given, isJsonObject, isTruthy, type JsonObject, objectOrEmpty, plainText } from './coerce.js';
import { E2A_CONVERTERS, E2A_WIRE_INTERNAL_METADATA_KEYS, E2A_WIRE_SERVER_PUSH_KEY } from './constants.js';
import { ownProvenance } from './provenance.js';
import { buildResponse, type ResponseReading } from './response.js';
import { type ClockOptions, timeOf } from './timestamp.js';
import { encodeAgentChunkForWire } from './wire-encode.js';

/** What a server pushes: with `response_kind` its `body`, without one its `payload` as a piece of a stream. */
export type ServerPush = {
  request_id?: string;
  channel_id?: string;
  session_id?: string | null;
  response_kind?: string;
  body?: JsonObject;
  payload?: JsonObject | null;
  is_complete?: boolean;
  metadata?: JsonObject;
};

/**
 * A frame a server sends by itself (a file, a question, a plan to approve). It may carry the id of a request in flight
 * and `is_final`, and belongs to neither its order nor its end: its mark in `metadata` says so.
 *
 * @throws {E2AError} `invalid_value` when a container is none.
 */
export function buildServerPushWire(push: ServerPush | JsonObject, options: ClockOptions = {}): ResponseReading {
  const raw: JsonObject = push;
  const kind = given(raw, 'response_kind');
  const kindText = isTruthy(kind) ? plainText(kind).trim() : '';
  return kindText === '' ? pushOfPiece(raw, options) : pushOfKind(raw, kindText, timeOf(options));
}

function pushOfKind(raw: JsonObject, kind: string, at: string): ResponseReading {
  const requestId = plainText(given(raw, 'request_id', ''));
  const channel = plainText(given(raw, 'channel_id', ''));
  return buildResponse({
    response_id: requestId,
    request_id: requestId,
    is_final: true,
    status: 'succeeded',
    response_kind: kind,
    timestamp: at,
    provenance: ownProvenance('e2a', E2A_CONVERTERS.serverPush, at, { kind: 'server_push' }),
    body: objectOrEmpty(given(raw, 'body'), 'body'),
    channel: channel === '' ? null : channel,
    session_id: given(raw, 'session_id'),
    metadata: { ...objectOrEmpty(given(raw, 'metadata'), 'metadata'), [E2A_WIRE_SERVER_PUSH_KEY]: true },
  });
}

function pushOfPiece(raw: JsonObject, options: ClockOptions): ResponseReading {
  const requestId = plainText(given(raw, 'request_id', ''));
  const chunk = {
    request_id: requestId,
    channel_id: plainText(given(raw, 'channel_id', '')),
    payload: given(raw, 'payload'),
    is_complete: isTruthy(given(raw, 'is_complete')),
  };
  const frame = encodeAgentChunkForWire({ chunk, response_id: requestId, sequence: 0 }, options);
  const metadata = given(raw, 'metadata');
  const own = Object.entries(isJsonObject(metadata) ? metadata : {}).filter(
    ([key]) => !E2A_WIRE_INTERNAL_METADATA_KEYS.has(key),
  );
  const session = given(raw, 'session_id');
  const sessionText = session === null ? '' : plainText(session);
  return {
    ...frame,
    metadata: { ...frame.metadata, ...Object.fromEntries(own), [E2A_WIRE_SERVER_PUSH_KEY]: true },
    session_id: sessionText.trim() === '' ? frame.session_id : sessionText,
  };
}

/** Whether a frame is a push: test this before correlating it with a request. */
export function isServerPush(response: JsonObject): boolean {
  const metadata = response['metadata'];
  return isJsonObject(metadata) && metadata[E2A_WIRE_SERVER_PUSH_KEY] === true;
}
