import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { CommandError } from './command-error.js';

interface Validator {
  Check(value: unknown): boolean;
  Errors(value: unknown): { instancePath: string; message: string }[];
}

/**
 * What gives the parameters of a command as its schema has them; each schema is compiled when its command is first used.
 * @throws CommandError `invalid_params`, which names the place and never repeats what was given
 */
export function paramsChecker<S extends Record<keyof S, TSchema>>(
  schemas: S,
): <C extends keyof S & string>(command: C, params: unknown) => Static<S[C]> {
  const validators = new Map<string, Validator>();
  return <C extends keyof S & string>(command: C, params: unknown) => {
    let validator = validators.get(command);
    if (validator === undefined) {
      validator = Compile<TSchema>(schemas[command]);
      validators.set(command, validator);
    }
    const given = params ?? {};
    if (isValid<S, C>(validator, given)) return given;
    const first = validator.Errors(given)[0];
    const place = first === undefined || first.instancePath === '' ? command : `${command}${first.instancePath}`;
    throw new CommandError('invalid_params', `${place} ${first?.message ?? 'is not valid'}`);
  };
}

function isValid<S extends Record<keyof S, TSchema>, C extends keyof S>(
  validator: Validator,
  params: unknown,
): params is Static<S[C]> {
  return validator.Check(params);
}
