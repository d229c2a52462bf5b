import type { AccountRow } from '../../shell/accounts-of.js';
import type { Words } from '../../words/index.js';
import { hostOf } from './sentence.js';

/** How a person solves what stands in the way, where it is nothing that this window could do for them. */
export function fixOf(row: AccountRow, words: Words): string | undefined {
  const { standing, connector } = row;
  if (standing.kind !== 'needs_you' && standing.kind !== 'refused') return undefined;
  // Signing in again is a button of its own; a guess beside it would only confuse.
  if (standing.signIn && !words.knows('fix', standing.code)) return undefined;
  return words.code('fix', standing.code, {
    network: words.network(connector.name, connector.label),
    host: hostOf(row, words),
  });
}
