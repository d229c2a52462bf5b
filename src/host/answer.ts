import type { Logger } from '../base/logger.js';
import type { Answer } from '../bridge/index.js';
import { CommandError } from './command-error.js';
import { isCommandName, type Execute } from './commands.js';
import { refusalOf } from './refusal.js';

/** Carries out what came as text from outside: an unknown command and every failure become an answer, never an exception. */
export function createAnswer(execute: Execute, log: Logger): (command: string, params: unknown) => Promise<Answer> {
  return async (command, params) => {
    try {
      if (!isCommandName(command)) throw new CommandError('unknown_command', 'there is no such command');
      return { result: await execute(command, params) };
    } catch (error) {
      const { code, message } = refusalOf(error, command, log);
      return { error: { code, message } };
    }
  };
}
