import type { AccountSnapshot, ResultOf, Snapshot } from '../../../../src/bridge/index.js';
import { CommandRefused } from '../../bridge/index.js';
import { type Read, useRead } from '../../bridge/use-read.js';
import { accountsOf } from './groups.js';

export type PendingMessage = ResultOf<'pending'>['messages'][number];
export type HeldReply = NonNullable<ResultOf<'pending'>['held']>[number];
export type EndedMessage = ResultOf<'ended'>['messages'][number];

/** Per account id, as the host lists them. */
export interface Queues {
  readonly pending: ReadonlyMap<string, readonly PendingMessage[]>;
  /** Answers that wait for their network. */
  readonly held: ReadonlyMap<string, readonly HeldReply[]>;
  readonly ended: ReadonlyMap<string, readonly EndedMessage[]>;
}

/** Messages that wait for an agent, and answers that wait for their network. */
export function waitingIn({ pending, heldReplies = 0 }: AccountSnapshot['queue']): number {
  return pending + heldReplies;
}

/** What waits and what ended, read again whenever a queue or a counter changed. */
export function useQueues(snapshot: Snapshot): Read<Queues> {
  const accounts = accountsOf(snapshot).map(({ account }) => account);
  const mark = JSON.stringify(accounts.map(({ accountId, queue, counters }) => [accountId, queue, counters]));
  return useRead(mark, async (bridge) => {
    const waiting = accounts.filter(({ queue }) => waitingIn(queue) > 0);
    const [pending, ended] = await Promise.all([
      readAll(waiting, (accountId) => bridge.call('pending', { accountId })),
      readAll(accounts, (accountId) => bridge.call('ended', { accountId })),
    ]);
    return {
      pending: new Map(pending.map(([accountId, { messages }]) => [accountId, messages])),
      held: new Map(pending.map(([accountId, { held = [] }]) => [accountId, held])),
      ended: new Map(ended.map(([accountId, { messages }]) => [accountId, messages])),
    };
  });
}

/** What each account answers; one that was signed out since the snapshot is left out, as the next snapshot does. */
async function readAll<R>(
  accounts: readonly { readonly accountId: string }[],
  read: (accountId: string) => Promise<R>,
): Promise<(readonly [string, R])[]> {
  const answers = await Promise.all(
    accounts.map(async ({ accountId }) => {
      try {
        return [[accountId, await read(accountId)] as const];
      } catch (error) {
        if (error instanceof CommandRefused && error.code === 'unknown_account') return [];
        throw error;
      }
    }),
  );
  return answers.flat();
}
