import type { AccountSnapshot, Snapshot } from '../../bridge/index.js';
import { readArgs } from './args.js';
import { COMMANDS } from './command-specs.js';
import { ExitCode, localTime, print, type CliIo } from './io.js';
import { dataDirOf, withHost } from './running-host.js';

/** `accounts [--json]`: who is signed in on the running host. */
export async function accountsCommand(given: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags } = readArgs(given, COMMANDS.accounts);
  const snapshot = await withHost(dataDirOf(flags), (host) => host.call('snapshot'));
  const accounts = accountsOf(snapshot);
  if (flags.json === true) print(io, JSON.stringify(accounts.map(asJson), null, 2));
  else if (accounts.length === 0) print(io, 'Nobody is signed in. "sign-in <connector>" begins.');
  else for (const { connector, account } of accounts) print(io, asLine(connector, account));
  return ExitCode.done;
}

interface Row {
  readonly connector: string;
  readonly account: AccountSnapshot;
}

export function accountsOf(snapshot: Snapshot): Row[] {
  return snapshot.connectors.flatMap(({ name, accounts }) => accounts.map((account) => ({ connector: name, account })));
}

/** The names of `GET /status`, so that a script needs to learn one vocabulary. */
function asJson({ connector, account }: Row): Record<string, unknown> {
  const { state, queue } = account;
  return {
    account_id: account.accountId,
    connector,
    display_name: account.displayName,
    account_hint: account.accountHint,
    status: state.status,
    code: 'code' in state ? state.code : null,
    since: state.since,
    last_round_trip_at: account.lastRoundTripAt ?? null,
    connector_channel_id: account.channelId ?? null,
    agent_connected: account.agentConnected,
    pending: queue.pending,
  };
}

function asLine(connector: string, account: AccountSnapshot): string {
  const { state } = account;
  const status = 'code' in state ? `${state.status} (${state.code})` : state.status;
  const agent = account.agentConnected ? 'agent connected' : 'no agent';
  return [
    account.accountId,
    connector,
    account.displayName,
    `${status} since ${localTime(state.since)}`,
    agent,
    `${account.queue.pending} waiting`,
  ].join('  ');
}
