import type { Snapshot } from '../../../../src/bridge/index.js';
import { isReceiving, needsPerson } from '../../../../src/bridge/standing.js';
import type { AccountRow } from '../../shell/accounts-of.js';
import type { Words } from '../../words/index.js';

/** One sentence about all accounts: what stops them all, else how many receive and who is needed. */
export function headingOf(
  rows: readonly AccountRow[],
  { secrets, server, paused, agents, agentServer }: Snapshot,
  online: boolean,
  { t, network }: Words,
): string {
  if (rows.length === 0) return t('accounts.empty');
  if (secrets.state !== 'ready' && secrets.kind === 'keychain') {
    return secrets.state === 'locked' ? t('accounts.locked') : t('accounts.no_keychain');
  }
  if (!online) return t('accounts.offline');
  if (server.state === 'port_taken') return t('accounts.port');
  if (paused) return t('accounts.paused');
  const total = rows.length;
  const ok = rows.filter(({ standing }) => isReceiving(standing)).length;
  if (ok === total) {
    const isAlone = agents.length === 0 && agentServer.state.status !== 'connected';
    return isAlone ? t('accounts.all_no_agent', { n: total }) : t('accounts.all', { n: total });
  }
  const needed = rows.filter(({ standing }) => needsPerson(standing));
  const [first] = needed;
  if (first === undefined) return t('accounts.some', { ok, total });
  if (needed.length > 1) return t('accounts.some_need', { ok, total, n: needed.length });
  return t('accounts.some_one_needs', { ok, total, network: network(first.connector.name, first.connector.label) });
}
