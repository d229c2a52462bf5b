import Type, { type Static } from 'typebox';
import { given, isJsonObject, type JsonObject, objectOrEmpty } from './coerce.js';
import { E2AError } from './errors.js';
import { JsonObjectSchema, NullableText } from './schema-parts.js';

/** Credentials of a request (section 5). References are preferred; a bearer token must never reach a log (section 13). */
export const E2AAuthSchema = Type.Object({
  method_id: NullableText,
  bearer_token: NullableText,
  api_key_ref: NullableText,
  credential_ref: NullableText,
  extra_headers: Type.Record(Type.String(), Type.String()),
  _meta: JsonObjectSchema,
});
export type E2AAuth = Static<typeof E2AAuthSchema>;

/** Credentials as reading leaves them. */
export type AuthReading = Record<Exclude<keyof E2AAuth, 'extra_headers' | '_meta'>, unknown> & {
  extra_headers: JsonObject;
  _meta: JsonObject;
};

/**
 * Reads `auth`: null means none, an object, even an empty one, means all six keys.
 * @throws {E2AError} `invalid_value` for anything else.
 */
export function authFromDict(raw: unknown): AuthReading | null {
  if (raw === null || raw === undefined) return null;
  if (!isJsonObject(raw)) throw new E2AError('invalid_value', 'auth must be an object');
  return {
    method_id: given(raw, 'method_id'),
    bearer_token: given(raw, 'bearer_token'),
    api_key_ref: given(raw, 'api_key_ref'),
    credential_ref: given(raw, 'credential_ref'),
    extra_headers: objectOrEmpty(given(raw, 'extra_headers'), 'auth.extra_headers'),
    _meta: objectOrEmpty(given(raw, '_meta'), 'auth._meta'),
  };
}
