import { PLACE_FLAGS, readArgs } from './args.js';
import { ExitCode, print, type CliIo } from './io.js';
import { dataDirOf, withHost } from './running-host.js';

/** `sign-out <account>`: ends a sign-in everywhere. */
export async function signOutCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags, positionals } = readArgs(args, PLACE_FLAGS, ['account']);
  await withHost(dataDirOf(flags), (host) => host.call('sign-out', { accountId: positionals[0] ?? '' }));
  print(io, 'Signed out.');
  return ExitCode.done;
}
