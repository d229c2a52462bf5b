import type { Static, TSchema } from 'typebox';
import { ErrorCode } from './error-codes.js';
import { ProtocolError } from '../base/errors.js';
import { conforms, firstProblem } from '../base/conforms.js';

/** A check of one wire schema. */
export type Check<T extends TSchema> = (value: unknown) => Static<T>;

/**
 * Makes a schema a check that returns the value or throws {@link ProtocolError} `invalid_packet`.
 * The message names the place and the rule, never the offending value, which may hold a secret.
 */
export function checker<T extends TSchema>(schema: T, what: string): Check<T> {
  return (value) => {
    if (conforms(schema, value)) return value;
    throw new ProtocolError(ErrorCode.invalidPacket, firstProblem(schema, value, what));
  };
}
