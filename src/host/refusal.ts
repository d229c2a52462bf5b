import { DeadlineExpired } from '../base/deadline.js';
import { describeError, ProtocolError, TargetRefusal, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { AckError } from '../connector/connector.js';
import { SecretStoreError } from '../store/secrets/secret-store.js';
import { StoreError } from '../store/store.js';
import { LocalChatError } from '../targets/local/index.js';
import { SignInFailure } from '../targets/target.js';
import { CommandError } from './command-error.js';

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

/** Every error of a command as a refusal with a stable code; what nobody foresaw is logged and says no more than that. */
export function refusalOf(error: unknown, command: string, log: Logger | undefined): CommandError {
  if (error instanceof CommandError) return error;
  for (const family of TOLD_AS_THEY_ARE) {
    if (error instanceof family) return new CommandError(error.code, error.message);
  }
  if (error instanceof DeadlineExpired) {
    return new CommandError('queue_full', 'the queue is full: no agent takes its messages');
  }
  log?.error({ command, error: describeError(error) }, 'a command failed');
  return new CommandError('internal_error', 'the command failed; the log says why');
}
