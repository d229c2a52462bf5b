import type { AccountRow } from '../../shell/accounts-of.js';
import { LOCAL } from '../../shell/accounts-of.js';
import type { Words } from '../../words/index.js';

/** The network's host where the account names one (`…@example.org`), else the network's name. */
export function hostOf({ account, connector }: Pick<AccountRow, 'account' | 'connector'>, words: Words): string {
  const [, host] = /@([\w.-]+\.\w+)$/.exec(account.accountHint) ?? [];
  return host ?? words.network(connector.name, connector.label);
}

/**
 * The one plain sentence about an account.
 * @param now Unix ms for what is counted down; undefined leaves countdowns out, for those who are told of changes only
 */
export function sentenceOf(row: AccountRow, words: Words, now: number | undefined): string {
  const { standing, connector } = row;
  const { t, format } = words;
  const network = words.network(connector.name, connector.label);
  switch (standing.kind) {
    case 'receiving':
      return connector.name === LOCAL ? t('state.ready') : t('state.receiving');
    case 'holding':
      return t('state.holding', { n: standing.waiting });
    case 'paused':
      return t('state.paused');
    case 'connecting':
      return t('state.connecting', { network });
    case 'no_network':
      return t('state.no_network');
    case 'flawed':
    case 'needs_you':
    case 'refused':
    case 'locked':
      return reasonOf(row, words, now ?? standing.since);
    case 'retrying': {
      const reason = reasonOf(row, words, now ?? standing.since);
      if (now === undefined || standing.retryAt === undefined) return reason;
      const left = standing.retryAt - now;
      return left > 0
        ? t('state.retry_in', { reason, t: format.duration(left + 999) })
        : t('state.retrying_now', { reason });
    }
  }
}

function reasonOf(row: AccountRow, words: Words, now: number): string {
  const { standing, connector, keptIn } = row;
  if (!('code' in standing)) return '';
  const inFile = standing.kind === 'locked' && keptIn === 'file';
  const code = inFile ? standing.code.replace(/^secrets_/, 'secret_file_') : standing.code;
  return words.code('state', code, {
    network: words.network(connector.name, connector.label),
    host: hostOf(row, words),
    proxy: connector.way?.proxy?.address ?? '',
    time: words.format.time(standing.since, now),
  });
}
