import type { Snapshot } from '../../../../src/bridge/index.js';
import { isReceiving, needsPerson } from '../../../../src/bridge/standing.js';
import { type AccountRow, LOCAL } from '../../shell/accounts-of.js';
import type { Words } from '../../words/index.js';

/** One sentence about all accounts: what stops them all, else how many receive and who is needed. */
export function headingOf(
  rows: readonly AccountRow[],
  { secrets, server, paused, agents, agentServer }: Snapshot,
  online: boolean,
  { t, network }: Words,
): string {
  if (rows.length === 0) return t('accounts.empty');
  // Accounts that were open before go on, and the local chat needs no sign-in.
  const held = rows.filter(({ connector }) => connector.name !== LOCAL);
  if (secrets.state !== 'ready' && held.length > 0 && held.every(({ standing }) => standing.kind === 'locked')) {
    if (secrets.kind === 'file') return t('accounts.no_file');
    return secrets.state === 'locked' ? t('accounts.locked') : t('accounts.no_keychain');
  }
  if (!online) return t('accounts.offline');
  if (server.state === 'port_taken') return t('accounts.port');
  if (paused) return t('accounts.paused');
  const total = rows.length;
  const ok = rows.filter(({ standing }) => isReceiving(standing)).length;
  if (ok === total) {
    const isAlone = agents.length === 0 && agentServer.state.status !== 'connected';
    if (total === 1) return isAlone ? t('accounts.only_no_agent') : t('accounts.only');
    if (total === 2) return isAlone ? t('accounts.both_no_agent') : t('accounts.both');
    return isAlone ? t('accounts.all_no_agent', { n: total }) : t('accounts.all', { n: total });
  }
  const needing = rows.filter(({ standing }) => needsPerson(standing));
  const needed = needing.length;
  const [first] = needing;
  if (first === undefined) return ok === 0 ? t('accounts.none', { n: total }) : t('accounts.some', { n: ok, total });
  if (needed > 1) {
    return ok === 0 ? t('accounts.none_need', { n: total, needed }) : t('accounts.some_need', { n: ok, total, needed });
  }
  const name = network(first.connector.name, first.connector.label);
  return ok === 0
    ? t('accounts.none_one_needs', { n: total, network: name })
    : t('accounts.some_one_needs', { n: ok, total, network: name });
}
