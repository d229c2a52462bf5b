import type { AccountRow } from '../../shell/accounts-of.js';
import { LOCAL } from '../../shell/accounts-of.js';

/** Between the account's own name and whom it talks with, as networks name their accounts. */
const WITH = ' · ';

/** What tells this account from another of its network; the network's name is said beside it. */
export function nameOf({ account: { displayName }, connector: { label, name } }: AccountRow): string {
  const [own = displayName] = displayName.split(WITH);
  // A local chat that nobody named has its network's name, which is not said twice.
  if (name === LOCAL && (own === '' || own === label)) return '';
  return own.startsWith(`${label} `) ? own.slice(label.length + 1) : own;
}

/** The chat or person that the account is bound to, where its name says so. */
export function boundTo({ account: { displayName } }: AccountRow): string | undefined {
  const at = displayName.indexOf(WITH);
  return at === -1 ? undefined : displayName.slice(at + WITH.length);
}
