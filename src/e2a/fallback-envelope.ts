import { given, isJsonObject, isTruthy, type JsonObject, plainText, wireObject, without } from './coerce.js';
import {
  E2A_FALLBACK_FAILED_KEY,
  E2A_INTERNAL_CONTEXT_KEY,
  E2A_LEGACY_AGENT_REQUEST_KEY,
  MAX_LEGACY_AGENT_REQUEST_JSON_BYTES,
} from './constants.js';
import { envelopeFromDict, type EnvelopeReading } from './envelope.js';

/**
 * A request that could not be normalised, as an envelope all the same: no method, no params, and the legacy request
 * whole in `channel_context`, from where an AgentServer takes it. Above 512,000 bytes of JSON its params are dropped.
 *
 * @throws {E2AError} `invalid_value` when the request is no object.
 */
export function buildFallbackE2a(legacyRequest: JsonObject): EnvelopeReading {
  const legacy = withinLimit({ ...wireObject(legacyRequest, 'legacy request') });
  return {
    ...envelopeFromDict(null),
    request_id: textOrNull(legacy, 'request_id'),
    channel: textOrNull(legacy, 'channel_id'),
    session_id: given(legacy, 'session_id'),
    user_id: given(legacy, 'user_id'),
    is_stream: isTruthy(given(legacy, 'is_stream')),
    channel_context: {
      [E2A_INTERNAL_CONTEXT_KEY]: { [E2A_FALLBACK_FAILED_KEY]: true, [E2A_LEGACY_AGENT_REQUEST_KEY]: legacy },
    },
  };
}

/** Whether an envelope's context says that its request could not be normalised. */
export function isFallbackContext(context: JsonObject): boolean {
  const internal = context[E2A_INTERNAL_CONTEXT_KEY];
  return isJsonObject(internal) && isTruthy(given(internal, E2A_FALLBACK_FAILED_KEY));
}

/** The context of a request as an answer may show it: without what the two servers keep there for themselves, null if none. */
export function channelContextForChannelReply(envelope: JsonObject): JsonObject | null {
  const context = without(envelopeFromDict(envelope).channel_context, E2A_INTERNAL_CONTEXT_KEY);
  return isTruthy(context) ? context : null;
}

function textOrNull(legacy: JsonObject, key: string): string | null {
  const value = given(legacy, key);
  return isTruthy(value) ? plainText(value) : null;
}

function withinLimit(legacy: JsonObject): JsonObject {
  return spacedJsonBytes(legacy) <= MAX_LEGACY_AGENT_REQUEST_JSON_BYTES
    ? legacy
    : { ...legacy, params: { _e2a_fallback_error: 'legacy payload too large' } };
}

/** Bytes of the JSON with a blank after every comma and colon, which is how the limit is measured. */
function spacedJsonBytes(value: JsonObject): number {
  return new TextEncoder().encode(JSON.stringify(value)).length + separators(value);
}

function separators(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items: unknown[] = Object.values(value);
  const own = Math.max(0, items.length - 1) + (Array.isArray(value) ? 0 : items.length);
  return items.reduce((sum: number, item) => sum + separators(item), own);
}
