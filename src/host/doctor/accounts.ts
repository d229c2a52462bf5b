import type { AccountSnapshot, Finding, FindingCode, Snapshot } from '../../bridge/index.js';
import { finding } from './finding.js';

/** Each sign-in as the running host sees it. */
export function checkAccounts(running: Snapshot | undefined): Finding[] {
  if (running === undefined) return [finding('accounts', 'warn', 'no_host')];
  return running.connectors.flatMap(({ name, accounts }) => accounts.map((account) => checkAccount(name, account)));
}

function checkAccount(connector: string, { displayName, state }: AccountSnapshot): Finding {
  const check = `${connector} ${displayName}`;
  switch (state.status) {
    case 'connected':
      return finding(check, 'ok', 'account_connected');
    case 'degraded':
    case 'offline':
      return finding(check, 'broken', troubleOf(state.code), { status: state.status, reason: state.code });
    case 'expired':
    case 'revoked':
    case 'error':
      return finding(check, 'broken', 'account_ended', { status: state.status, reason: state.code, connector });
  }
}

/** What keeps an account out of touch that is not over: its secrets, the disk, a proxy, or the way to its network. */
function troubleOf(code: string): FindingCode {
  if (code.startsWith('secrets_')) return 'account_locked_out';
  if (code.startsWith('proxy_')) return 'account_behind_proxy';
  return code.startsWith('store_') ? 'account_without_disk' : 'account_trying';
}
