import { accountsOf } from './accounts.js';
import { readArgs } from './args.js';
import { COMMANDS } from './command-specs.js';
import { CliError, ExitCode, print, type CliIo } from './io.js';
import { dataDirOf, withHost } from './running-host.js';

/** `sign-out <account>`: ends a sign-in everywhere. */
export async function signOutCommand(given: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags, args } = readArgs(given, COMMANDS['sign-out']);
  await withHost(dataDirOf(flags), async (host) => {
    const accounts = accountsOf(await host.call('snapshot')).map(({ account }) => account);
    await host.call('sign-out', { accountId: idOf(accounts, args.account) });
  });
  print(io, 'Signed out.');
  return ExitCode.done;
}

/**
 * The account that a person means by its id, or by a name that only one account has.
 * @throws CliError when there is none, or more than one: which of them is not ours to guess
 */
export function idOf(
  accounts: readonly { readonly accountId: string; readonly displayName: string }[],
  named: string,
): string {
  if (accounts.some(({ accountId }) => accountId === named)) return named;
  const [first, ...more] = accounts
    .filter(({ displayName }) => displayName === named)
    .map(({ accountId }) => accountId);
  if (first === undefined) throw new CliError(`There is no account ${named}. "accounts" lists who is signed in.`);
  if (more.length > 0) {
    const ids = [first, ...more].join(', ');
    throw new CliError(`More than one account is called ${named}: ${ids}. Say which by its id; nobody was signed out.`);
  }
  return first;
}
