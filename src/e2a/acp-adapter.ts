import {
  given,
  isJsonObject,
  isTruthy,
  type JsonObject,
  objectOrEmpty,
  plainText,
  requiredField,
  unlessNull,
} from './coerce.js';
import { ACP_PROMPT_METHOD, E2A_CONVERTERS, JSONRPC_INTERNAL_ERROR } from './constants.js';
import { envelopeFromDict, type EnvelopeReading } from './envelope.js';
import { mergeParamsToAcpPrompt } from './prompt.js';
import { responseFromDict } from './response.js';
import { type ClockOptions, timeOf } from './timestamp.js';

/** A JSON-RPC call as ACP makes it, told with this contract's field names. */
export type AcpJsonrpcCall = {
  method: string;
  params?: JsonObject | null;
  jsonrpc_id?: string | number | null;
  session_id?: string | null;
  channel?: string | null;
  identity_origin?: string | null;
  converter?: string | null;
  extra_provenance_details?: JsonObject | null;
};

/**
 * An ACP JSON-RPC call as an envelope, its origin in `provenance` (section 8). The session is `session_id` or
 * `params.session_id`; a peer's own `sessionId` stays in `params` unread (see `acp-v1-call.ts` for such peers).
 *
 * @throws {E2AError} `missing_field` without a method, `invalid_value` when `params` is neither object nor empty.
 */
export function envelopeFromAcpJsonrpc(call: AcpJsonrpcCall | JsonObject, options: ClockOptions = {}): EnvelopeReading {
  const raw: JsonObject = call;
  const method = requiredField(raw, 'method', 'an ACP call');
  const params = objectOrEmpty(given(raw, 'params'), 'params');
  const rpcId = given(raw, 'jsonrpc_id');
  const named = given(raw, 'session_id');
  const session = isTruthy(named) ? named : given(params, 'session_id');
  const converter = given(raw, 'converter');
  return {
    ...envelopeFromDict(null),
    provenance: {
      source_protocol: 'acp',
      converter: isTruthy(converter) ? converter : E2A_CONVERTERS.fromAcp,
      converted_at: timeOf(options),
      details: {
        kind: 'jsonrpc_request',
        jsonrpc_method: method,
        ...(rpcId === null ? {} : { jsonrpc_id: rpcId }),
        ...objectOrEmpty(given(raw, 'extra_provenance_details'), 'extra_provenance_details'),
      },
    },
    jsonrpc_id: rpcId,
    method,
    params,
    session_id: typeof session === 'string' ? session : null,
    channel: given(raw, 'channel'),
    identity_origin: given(raw, 'identity_origin', 'user'),
  };
}

/** A JSON-RPC call on its way to an ACP agent. */
export type JsonrpcCall = { jsonrpc: '2.0'; id: unknown; method: unknown; params: JsonObject };

/**
 * The envelope as a JSON-RPC call (section 8). `method` goes out as it stands, but for `ext` with an `ext_method`; a
 * Gateway method such as `chat.send` means nothing to an ACP agent and must be mapped first (section 2). The id is
 * `jsonrpc_id`, never `request_id`.
 *
 * @throws {E2AError} as `envelopeFromDict` and `mergeParamsToAcpPrompt`.
 */
export function envelopeToAcpJsonrpcCall(envelope: JsonObject): JsonrpcCall {
  const { method, ext_method: extMethod, jsonrpc_id: id, params } = envelopeFromDict(envelope);
  return {
    jsonrpc: '2.0',
    id,
    method: method === 'ext' && isTruthy(extMethod) ? extMethod : method,
    params: method === ACP_PROMPT_METHOD ? mergeParamsToAcpPrompt(envelope) : params,
  };
}

/**
 * The response as one JSON-RPC response (sections 8 and 12.6), or null when it is none: `acp.prompt_result` gives a
 * `result`, `acp.jsonrpc_error` and `e2a.error` give an `error`. A ready-made `projections.acp` wins over the kind.
 *
 * @throws {E2AError} as `responseFromDict`.
 */
export function e2aResponseToAcpJsonrpcResponse(response: JsonObject): JsonObject | null {
  const { projections, jsonrpc_id: id, response_kind: kind, body } = responseFromDict(response);
  const ready = given(projections, 'acp');
  if (isJsonObject(ready) && ready['jsonrpc'] === '2.0' && ('result' in ready || 'error' in ready)) {
    return Object.hasOwn(ready, 'id') ? { ...ready } : { ...ready, id };
  }
  if (kind === 'acp.prompt_result') return { jsonrpc: '2.0', id, result: body };
  if (kind === 'acp.jsonrpc_error') return { jsonrpc: '2.0', id, error: body };
  if (kind === 'e2a.error') return { jsonrpc: '2.0', id, error: jsonrpcError(body) };
  return null;
}

/** An `e2a.error` body as a JSON-RPC error: a code that is no whole number moves to `data.e2a_code`. */
function jsonrpcError(body: JsonObject): JsonObject {
  const code = given(body, 'code');
  const message = given(body, 'message');
  const numeric = Number.isInteger(code);
  const data = unlessNull({
    details: given(body, 'details'),
    external: given(body, 'external'),
    e2a_code: numeric ? null : code,
  });
  return {
    code: numeric ? code : JSONRPC_INTERNAL_ERROR,
    message: isTruthy(message) ? plainText(message) : '',
    ...(isTruthy(data) ? { data } : {}),
  };
}
