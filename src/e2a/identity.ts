import { given, type JsonObject } from './coerce.js';
import { IDENTITY_ORIGINS, type IdentityOrigin } from './constants.js';
import { E2AError } from './errors.js';

/**
 * `identity_origin` as both models read it: a text must be one of the four (section 4.3), null stays null.
 * @throws {E2AError} `invalid_value` for another text.
 */
export function identityOrigin(raw: JsonObject, fallback: IdentityOrigin): unknown {
  const origin = given(raw, 'identity_origin', fallback);
  if (typeof origin === 'string' && !IDENTITY_ORIGINS.some((known) => known === origin)) {
    throw new E2AError('invalid_value', 'identity_origin is none of system, user, agent, service');
  }
  return origin;
}
