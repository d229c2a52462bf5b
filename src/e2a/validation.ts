import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { isJsonObject } from './coerce.js';
import { E2A_RESPONSE_KINDS, type E2AResponseKind } from './constants.js';
import { type E2AEnvelope, E2AEnvelopeSchema } from './envelope.js';
import { type E2AFileRef, E2AFileRefSchema } from './file-ref.js';
import { RESPONSE_BODY_SCHEMAS } from './response-body.js';
import { type E2AResponse, E2AResponseSchema } from './response.js';

/**
 * Whether a value is what the specification wants, which is more than reading asks for: reading follows the
 * implementation and lets through whatever it can carry.
 */

/** One thing that is not as it should be. `path` is a JSON pointer, `rule` what should hold there; never a value. */
export type Violation = { path: string; rule: string };

type Validator = {
  Check(value: unknown): boolean;
  Errors(value: unknown): { instancePath: string; message: string }[];
};

/** Compiled on first use, so that a program which never validates doesn't pay for it. */
const compiled = new Map<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const known = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, known);
  return known;
}

function violationsOf(schema: TSchema, value: unknown, at = ''): Violation[] {
  const validator = validatorOf(schema);
  if (validator.Check(value)) return [];
  return validator.Errors(value).map(({ instancePath, message }) => ({ path: `${at}${instancePath}`, rule: message }));
}

/** Whether a value is a whole envelope by section 4. */
export function isE2AEnvelope(value: unknown): value is E2AEnvelope {
  return validatorOf(E2AEnvelopeSchema).Check(value);
}

/** What keeps a value from being an envelope by section 4; empty when nothing does. */
export function envelopeViolations(value: unknown): Violation[] {
  return violationsOf(E2AEnvelopeSchema, value);
}

/** Whether a value is a whole response by section 12.4, without regard to its body. */
export function isE2AResponse(value: unknown): value is E2AResponse {
  return validatorOf(E2AResponseSchema).Check(value);
}

/**
 * What keeps a value from being a response by sections 12.2, 12.4 and 12.5: its fields, its body by its kind, and that a
 * failure is an error. Empty when nothing does.
 */
export function responseViolations(value: unknown): Violation[] {
  const violations = violationsOf(E2AResponseSchema, value);
  if (!isJsonObject(value)) return violations;
  const { response_kind: kind, status } = value;
  if (isResponseKind(kind)) violations.push(...violationsOf(RESPONSE_BODY_SCHEMAS[kind], value['body'], '/body'));
  if (status === 'failed' && kind !== 'e2a.error' && kind !== 'acp.jsonrpc_error') {
    violations.push({ path: '/response_kind', rule: 'a failed response should be an e2a.error' });
  }
  return violations;
}

/** Whether a value is a file reference by section 5. */
export function isE2AFileRef(value: unknown): value is E2AFileRef {
  return validatorOf(E2AFileRefSchema).Check(value);
}

/** Whether a kind is one this version knows. */
export function isResponseKind(kind: unknown): kind is E2AResponseKind {
  return E2A_RESPONSE_KINDS.some((known) => known === kind);
}
