import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Answer } from '../bridge/index.js';
import { CommandError } from './command-error.js';
import { isCommandName, type Execute } from './commands.js';

/** Carries out what came as text from outside: an unknown command and every failure become an answer, never an exception. */
export function createAnswer(execute: Execute, log: Logger): (command: string, params: unknown) => Promise<Answer> {
  return async (command, params) => {
    try {
      if (!isCommandName(command)) throw new CommandError('unknown_command', 'there is no such command');
      return { result: await execute(command, params) };
    } catch (error) {
      if (error instanceof CommandError) return { error: { code: error.code, message: error.message } };
      log.error({ error: describeError(error) }, 'a request to the host failed');
      return { error: { code: 'internal_error', message: 'the request failed; the log says why' } };
    }
  };
}
