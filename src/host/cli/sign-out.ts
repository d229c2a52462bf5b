import { readArgs } from './args.js';
import { COMMANDS } from './command-specs.js';
import { ExitCode, print, type CliIo } from './io.js';
import { dataDirOf, withHost } from './running-host.js';

/** `sign-out <account>`: ends a sign-in everywhere. */
export async function signOutCommand(given: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags, args } = readArgs(given, COMMANDS['sign-out']);
  await withHost(dataDirOf(flags), (host) => host.call('sign-out', { accountId: args.account }));
  print(io, 'Signed out.');
  return ExitCode.done;
}
