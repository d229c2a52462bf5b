import type { ReactNode } from 'react';
import { NetworkGlyph } from '../../components/NetworkGlyph.js';
import { useWords } from '../../words/index.js';
import { wholeNameOf } from '../accounts/names.js';
import type { AccountOfNetwork } from './groups.js';

interface GroupHeadProps {
  readonly of: AccountOfNetwork;
  readonly columns: number;
  /** How many of what the rows below are. */
  readonly count: string;
}

/** The account whose messages follow. */
export function GroupHead({ of, columns, count }: GroupHeadProps): ReactNode {
  const words = useWords();
  return (
    <tr className="grp">
      <th colSpan={columns} scope="rowgroup">
        <NetworkGlyph network={of.connector.name} /> <span>{words.network(of.connector.name, of.connector.label)}</span>{' '}
        <span className="tx-2" dir="auto">
          {wholeNameOf(of)}
        </span>{' '}
        <span className="tx-2">· {count}</span>
      </th>
    </tr>
  );
}
