import { isTruthy, type JsonObject, without } from './coerce.js';
import { E2A_INTERNAL_CONTEXT_KEY } from './constants.js';
import { envelopeFromDict } from './envelope.js';
import { E2AError } from './errors.js';
import { isFallbackContext } from './fallback-envelope.js';
import { isGatewayMethod } from './gateway-methods.js';
import { timestampToEpochSeconds } from './timestamp.js';

/** What an AgentServer makes of an envelope (section 10). `timestamp` is epoch seconds, 0 when unknown. */
export type AgentRequest = {
  request_id: unknown;
  channel_id: unknown;
  session_id: unknown;
  chat_id: unknown;
  req_method: string | null;
  params: JsonObject;
  is_stream: boolean;
  timestamp: number;
  metadata: JsonObject | null;
  agent_ref: unknown;
};

/** The channel of a request that names none. */
const DEFAULT_CHANNEL = 'web';

/**
 * An envelope as the request an AgentServer runs.
 * @throws {E2AError} `fallback_envelope` for one that was never normalised, `unknown_method` for a method no AgentServer
 * has (ACP's `session/prompt` among them: such a request gets no answer at all), and as `envelopeFromDict`.
 */
export function e2aToAgentRequest(envelope: JsonObject): AgentRequest {
  const read = envelopeFromDict(envelope);
  if (isFallbackContext(read.channel_context)) {
    throw new E2AError('fallback_envelope', 'a fallback envelope carries a legacy request and must be read as one');
  }
  const metadata = without(read.channel_context, E2A_INTERNAL_CONTEXT_KEY);
  return {
    request_id: isTruthy(read.request_id) ? read.request_id : '',
    channel_id: isTruthy(read.channel) ? read.channel : DEFAULT_CHANNEL,
    session_id: read.session_id,
    chat_id: read.chat_id,
    req_method: methodOf(read.method),
    params: read.params,
    is_stream: read.is_stream,
    timestamp: timestampToEpochSeconds(read.timestamp),
    metadata: isTruthy(metadata) ? metadata : null,
    agent_ref: read.agent_ref,
  };
}

function methodOf(method: unknown): string | null {
  if (!isTruthy(method)) return null;
  if (typeof method === 'string' && isGatewayMethod(method)) return method;
  throw new E2AError('unknown_method', 'no AgentServer has this method');
}
