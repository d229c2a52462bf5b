import { Compile } from 'typebox/compile';
import { describeError, ProtocolError, TargetRefusal, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { CommandParams, type CommandName, type ParamsOf, type ResultOf } from '../bridge/index.js';
import { AckError } from '../connector/connector.js';
import { SecretStoreError } from '../store/secrets/secret-store.js';
import { StoreError } from '../store/store.js';
import { SignInFailure } from '../targets/target.js';
import { LocalChatError } from '../targets/local/index.js';
import { CommandError } from './command-error.js';
import { createHandlers, type CommandContext } from './command-handlers.js';

export { CommandError } from './command-error.js';

/** Carries out one command. @throws CommandError for everything that it refuses */
export type Execute = <C extends CommandName>(command: C, params: unknown) => Promise<ResultOf<C>>;

/** Whether a text names a command; what it is then called with is checked by {@link createCommands}. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(CommandParams, name);
}

/** Every command of the bridge, checked and carried out in this process. */
export function createCommands(context: CommandContext): Execute {
  const handlers = createHandlers(context);
  return async (command, params) => {
    const checked = checkParams(command, params ?? {});
    try {
      return await handlers[command](checked);
    } catch (error) {
      throw refusalOf(error, command, context.log);
    }
  };
}

const validators = new Map<
  CommandName,
  { Check(value: unknown): boolean; Errors(value: unknown): { instancePath: string; message: string }[] }
>();

function checkParams<C extends CommandName>(command: C, params: unknown): ParamsOf<C> {
  let validator = validators.get(command);
  if (validator === undefined) {
    validator = Compile(CommandParams[command]);
    validators.set(command, validator);
  }
  if (isValid<C>(validator, params)) return params;
  const first = validator.Errors(params)[0];
  const place = first === undefined || first.instancePath === '' ? command : `${command}${first.instancePath}`;
  throw new CommandError('invalid_params', `${place} ${first?.message ?? 'is not valid'}`);
}

function isValid<C extends CommandName>(
  validator: { Check(value: unknown): boolean },
  params: unknown,
): params is ParamsOf<C> {
  return validator.Check(params);
}

/** Errors that already say a stable code and words without secrets. */
const TOLD_AS_THEY_ARE = [
  ProtocolError,
  AckError,
  TargetRefusal,
  TransportError,
  SignInFailure,
  LocalChatError,
  StoreError,
  SecretStoreError,
] as const;

/** Every error as a refusal with a stable code; what nobody foresaw is logged and says no more than that. */
function refusalOf(error: unknown, command: CommandName, log: Logger): CommandError {
  if (error instanceof CommandError) return error;
  for (const family of TOLD_AS_THEY_ARE) {
    if (error instanceof family) return new CommandError(error.code, error.message);
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new CommandError('queue_full', 'the queue is full: no agent takes its messages');
  }
  log.error({ command, error: describeError(error) }, 'a command failed');
  return new CommandError('internal_error', 'the command failed; the log says why');
}
