import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';
import { conforms } from '../base/conforms.js';
import { CommandError } from './command-error.js';

/**
 * What gives the parameters of a command as its schema has them.
 * @throws CommandError `invalid_params`, which names the place and never repeats what was given
 */
export function paramsChecker<S extends Record<keyof S, TSchema>>(
  schemas: S,
): <C extends keyof S & string>(command: C, params: unknown) => Static<S[C]> {
  return <C extends keyof S & string>(command: C, params: unknown) => {
    const schema = schemas[command];
    const given = params ?? {};
    if (conforms(schema, given)) return given;
    const first = Value.Errors(schema, given)[0];
    const place = first === undefined || first.instancePath === '' ? command : `${command}${first.instancePath}`;
    throw new CommandError('invalid_params', `${place} ${first?.message ?? 'is not valid'}`);
  };
}
