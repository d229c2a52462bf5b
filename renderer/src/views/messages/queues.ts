import type { ResultOf, Snapshot } from '../../../../src/bridge/index.js';
import { type BridgeClient, CommandRefused } from '../../bridge/index.js';
import { type Read, useRead } from '../../bridge/use-read.js';
import { accountsOf } from './groups.js';

export type PendingMessage = ResultOf<'pending'>['messages'][number];
export type EndedMessage = ResultOf<'ended'>['messages'][number];

/** Per account id, as the host lists them. */
export interface Queues {
  readonly pending: ReadonlyMap<string, readonly PendingMessage[]>;
  readonly ended: ReadonlyMap<string, readonly EndedMessage[]>;
}

/** What waits and what ended, read again whenever a queue or a counter changed. */
export function useQueues(snapshot: Snapshot): Read<Queues> {
  const accounts = accountsOf(snapshot).map(({ account }) => account);
  const mark = JSON.stringify(accounts.map(({ accountId, queue, counters }) => [accountId, queue, counters]));
  return useRead(mark, async (bridge) => {
    const waiting = accounts.filter(({ queue }) => queue.pending > 0);
    const [pending, ended] = await Promise.all([read(bridge, 'pending', waiting), read(bridge, 'ended', accounts)]);
    return { pending: new Map(pending), ended: new Map(ended) };
  });
}

function read<C extends 'pending' | 'ended'>(
  bridge: BridgeClient,
  command: C,
  accounts: readonly { readonly accountId: string }[],
): Promise<(readonly [string, ResultOf<C>['messages']])[]> {
  return Promise.all(
    accounts.map(async ({ accountId }) => [accountId, await messagesOf(bridge, command, accountId)] as const),
  );
}

async function messagesOf<C extends 'pending' | 'ended'>(
  bridge: BridgeClient,
  command: C,
  accountId: string,
): Promise<ResultOf<C>['messages']> {
  try {
    return (await bridge.call<'pending' | 'ended'>(command, { accountId })).messages;
  } catch (error) {
    // It was signed out since the snapshot; the next one is without it.
    if (error instanceof CommandRefused && error.code === 'unknown_account') return [];
    throw error;
  }
}
