import type { Static, TSchema } from 'typebox';
import { ErrorCode } from './error-codes.js';
import { ProtocolError } from '../base/errors.js';
import { lazyValidator } from '../base/lazy-validator.js';

/** A compiled check of one wire schema. */
export type Check<T extends TSchema> = (value: unknown) => Static<T>;

/**
 * Compiles a schema into a check that returns the value or throws {@link ProtocolError} `invalid_packet`.
 * The message names the place and the rule, never the offending value, which may hold a secret.
 */
export function checker<T extends TSchema>(schema: T, what: string): Check<T> {
  const validator = lazyValidator(schema);
  return (value) => {
    if (validator().Check(value)) return value;
    const first = validator().Errors(value)[0];
    const place = first?.instancePath ? `${what}${first.instancePath}` : what;
    throw new ProtocolError(ErrorCode.invalidPacket, `${place} ${first?.message ?? 'is not valid'}`);
  };
}
