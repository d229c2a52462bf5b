import type { AccountRow } from '../../shell/accounts-of.js';

type Named = Pick<AccountRow, 'account' | 'connector'>;

/** Between the account's own name and whom it talks with, as networks name their accounts. */
const WITH = ' · ';

/** What tells this account from another of its network; the network's name is said beside it. */
export function nameOf({ account, connector }: Named): string {
  const [own = ''] = account.displayName.split(WITH);
  return besideNetwork(own, connector);
}

/** The same with the chat or person that the account is bound to. */
export function wholeNameOf({ account, connector }: Named): string {
  return besideNetwork(account.displayName, connector);
}

function besideNetwork(own: string, { label }: Named['connector']): string {
  // One that nobody named, such as a local chat, has its network's name, which is not said twice.
  if (own === label) return '';
  return own.startsWith(`${label} `) ? own.slice(label.length + 1) : own;
}

/** The chat or person that the account is bound to, where its name says so. */
export function boundTo({ account: { displayName } }: Named): string | undefined {
  const at = displayName.indexOf(WITH);
  return at === -1 ? undefined : displayName.slice(at + WITH.length);
}
