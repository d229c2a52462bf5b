import { given, isJsonObject, isTruthy, type JsonObject, unlessNull } from './coerce.js';
import { SPEAKER_KEYS } from './constants.js';
import { E2AError } from './errors.js';
import type { ResponseReading } from './response.js';

type Piece = { payload: JsonObject; is_complete: boolean };

/**
 * What a response says as a piece of a stream (section 12.5).
 * @throws {E2AError} `unsupported_response` for a kind that is no piece of a stream or contradicts `is_final`.
 */
export function chunkPayload(response: ResponseReading): Piece {
  const { response_kind: kind, is_final: isFinal, body } = response;
  if (kind === 'e2a.complete' && isFinal) return { payload: result(body), is_complete: true };
  if (kind === 'e2a.error' && isFinal) return { payload: details(body), is_complete: true };
  if (kind === 'e2a.chunk' && !isFinal) return { payload: delta(body), is_complete: false };
  // The three below come as server pushes too, final or not; each says by its kind whether more follows.
  if (kind === 'cron') return { payload: cron(body), is_complete: true };
  if (kind === 'acp.output_request') {
    return { payload: { event_type: 'acp.output_request', jsonrpc: body }, is_complete: false };
  }
  if (kind === 'plan.approval_required') return { payload: planApproval(response), is_complete: true };
  throw new E2AError('unsupported_response', 'the response is no piece of a stream, or its kind contradicts is_final');
}

/** A result that is there and empty is the bare end marker; a body without one is an empty answer. */
function result(body: JsonObject): JsonObject {
  const value = given(body, 'result');
  if (!isJsonObject(value)) return {};
  const isEndMarker = !isTruthy(value) && Object.keys(body).length === 1;
  return isEndMarker ? { is_complete: true } : { ...value };
}

function details(body: JsonObject): JsonObject {
  const value = given(body, 'details');
  return isJsonObject(value) ? { ...value } : { ...body };
}

function delta(body: JsonObject): JsonObject {
  const deltaKind = given(body, 'delta_kind');
  const eventType = given(body, 'event_type');
  const value = given(body, 'delta');
  if (eventType === 'chat.delta' || deltaKind === 'text' || deltaKind === 'reasoning') {
    const source = deltaKind === 'reasoning' ? 'llm_reasoning' : given(body, 'source_chunk_type');
    return {
      event_type: 'chat.delta',
      content: value ?? '',
      ...unlessNull({ source_chunk_type: source }),
      ...unlessNull(Object.fromEntries(SPEAKER_KEYS.map((key) => [key, given(body, key)]))),
    };
  }
  const event = unlessNull({ event_type: eventType });
  return isJsonObject(value) ? { ...event, ...value } : { ...event, ...unlessNull({ content: value }) };
}

function cron(body: JsonObject): JsonObject {
  return {
    event_type: 'cron.response',
    action: given(body, 'action'),
    status: given(body, 'status'),
    data: given(body, 'data'),
    message: given(body, 'message'),
  };
}

function planApproval({ body, session_id: sessionId }: ResponseReading): JsonObject {
  return {
    event_type: 'plan.approval_required',
    plan_content: given(body, 'plan_content', ''),
    plan_slug: given(body, 'plan_slug', ''),
    plan_path: given(body, 'plan_path', ''),
    session_id: isTruthy(sessionId) ? sessionId : '',
  };
}
