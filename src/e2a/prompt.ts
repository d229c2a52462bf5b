import { given, isJsonObject, isTruthy, type JsonObject } from './coerce.js';
import { ACP_PROMPT_METHOD } from './constants.js';
import { envelopeFromDict } from './envelope.js';
import { E2AError } from './errors.js';

/**
 * The parameters of an envelope as ACP wants them (section 7). For `session/prompt` without a `prompt`, the content
 * blocks become it, or else the text; then session id and `_meta` are filled in. Any other method: a copy of `params`.
 *
 * Two points where the implementation, followed here, differs from the specification: a `prompt` that is there, even
 * null, ends the matter, so neither session id nor `_meta` is filled in; and of `text`, `content` and `query` the first
 * that is not empty is taken, and makes no prompt if it is no text.
 *
 * @throws {E2AError} `invalid_value` when `_meta` is there and no object, or the envelope can't be read.
 */
export function mergeParamsToAcpPrompt(envelope: JsonObject): JsonObject {
  const { method, params, session_id: sessionId, acp_meta: acpMeta } = envelopeFromDict(envelope);
  if (method !== ACP_PROMPT_METHOD || Object.hasOwn(params, 'prompt')) return params;

  const prompt = promptBlocks(params);
  const merged: JsonObject = prompt.length > 0 ? { ...params, prompt } : params;
  if (isTruthy(sessionId) && !Object.hasOwn(merged, 'session_id')) merged['session_id'] = sessionId;
  if (isTruthy(acpMeta)) merged['_meta'] = { ...metaOf(merged), ...acpMeta };
  return merged;
}

function promptBlocks(params: JsonObject): unknown[] {
  const blocks = given(params, 'content_blocks');
  if (Array.isArray(blocks) && blocks.length > 0) return [...(blocks as unknown[])];
  const text = ['text', 'content', 'query'].map((key) => given(params, key)).find(isTruthy);
  return typeof text === 'string' ? [{ type: 'text', text }] : [];
}

function metaOf(params: JsonObject): JsonObject {
  const meta = given(params, '_meta', {});
  if (!isJsonObject(meta)) throw new E2AError('invalid_value', 'params._meta must be an object');
  return meta;
}
