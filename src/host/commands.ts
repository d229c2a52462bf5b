import { CommandParams, type CommandName, type ResultOf } from '../bridge/index.js';
import { paramsChecker } from './checked-params.js';
import { createHandlers, type CommandContext } from './command-handlers.js';
import { refusalOf } from './refusal.js';

/** Carries out one command. @throws CommandError for everything that it refuses */
export type Execute = <C extends CommandName>(command: C, params: unknown) => Promise<ResultOf<C>>;

const checkParams = paramsChecker(CommandParams);

/** Whether a text names a command; what it is then called with is checked by {@link createCommands}. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(CommandParams, name);
}

/** Every command of the bridge, checked and carried out in this process. */
export function createCommands(context: CommandContext): Execute {
  const handlers = createHandlers(context);
  return async (command, params) => {
    const checked = checkParams(command, params);
    try {
      return await handlers[command](checked);
    } catch (error) {
      throw refusalOf(error, command, context.log);
    }
  };
}
