import { readArgs } from './args.js';
import { COMMANDS } from './command-specs.js';
import { ExitCode, print, type CliIo } from './io.js';
import { dataDirOf, withHost } from './running-host.js';

/** `ui`: prints a fresh link that opens the running host's window in a browser, once and soon. */
export async function uiCommand(given: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags } = readArgs(given, COMMANDS.ui);
  const { url } = await withHost(dataDirOf(flags), (host) => host.call('ui-link'));
  print(io, url);
  return ExitCode.done;
}
