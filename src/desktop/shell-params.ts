import { Compile } from 'typebox/compile';
import { ShellParams, type ShellCommandName, type ShellParamsOf } from '../bridge/index.js';
import { CommandError } from '../host/commands.js';

interface Check {
  Check(value: unknown): boolean;
}

const checks = new Map<ShellCommandName, Check>();

export function isShellCommand(name: string): name is ShellCommandName {
  return Object.hasOwn(ShellParams, name);
}

/** The parameters of a shell command as they must be. @throws CommandError `invalid_params`, which never repeats what was given */
export function checkShellParams<C extends ShellCommandName>(command: C, params: unknown): ShellParamsOf<C> {
  let check = checks.get(command);
  if (check === undefined) {
    check = Compile(ShellParams[command]);
    checks.set(command, check);
  }
  const given = params ?? {};
  if (isValid<C>(check, given)) return given;
  throw new CommandError('invalid_params', `the parameters of ${command} are not what it takes`);
}

function isValid<C extends ShellCommandName>(check: Check, params: unknown): params is ShellParamsOf<C> {
  return check.Check(params);
}
