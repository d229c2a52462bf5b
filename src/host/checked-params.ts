import type { Static, TSchema } from 'typebox';
import { conforms, firstProblem } from '../base/conforms.js';
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
    throw new CommandError('invalid_params', firstProblem(schema, given, command));
  };
}
