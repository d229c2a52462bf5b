import { readArgs } from './args.js';
import { COMMANDS } from './command-specs.js';
import { ExitCode, print, type CliIo } from './io.js';
import { dataDirOf, withHost } from './running-host.js';

/** `api-key [--rotate]`: prints the key that agents need, from the running host; never from an argument or a file. */
export async function apiKeyCommand(given: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags } = readArgs(given, COMMANDS['api-key']);
  const command = flags.rotate === true ? 'rotate-api-key' : 'api-key';
  const { apiKey } = await withHost(dataDirOf(flags), (host) => host.call(command));
  print(io, apiKey);
  return ExitCode.done;
}
