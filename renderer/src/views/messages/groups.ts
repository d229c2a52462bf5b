import type { AccountSnapshot, ConnectorSnapshot, Snapshot } from '../../../../src/bridge/index.js';

/** An account with its network, as far as a list of messages shows it. */
export interface AccountOfNetwork {
  readonly connector: ConnectorSnapshot;
  readonly account: AccountSnapshot;
}

/** One account's messages, in the order in which they are listed. */
export interface MessageGroup<M> extends AccountOfNetwork {
  readonly messages: readonly M[];
}

export function accountsOf(snapshot: Snapshot): AccountOfNetwork[] {
  return snapshot.connectors.flatMap((connector) => connector.accounts.map((account) => ({ connector, account })));
}

/** Accounts keep their place, whatever their messages do; those without messages are left out. */
export function groupsOf<M>(
  snapshot: Snapshot,
  messagesOf: ReadonlyMap<string, readonly M[]>,
  order: (one: M, other: M) => number,
): MessageGroup<M>[] {
  return accountsOf(snapshot).flatMap(({ connector, account }) => {
    const messages = messagesOf.get(account.accountId) ?? [];
    return messages.length === 0 ? [] : [{ connector, account, messages: [...messages].sort(order) }];
  });
}

export function countOf(messagesOf: ReadonlyMap<string, readonly unknown[]>): number {
  return [...messagesOf.values()].reduce((sum, messages) => sum + messages.length, 0);
}
