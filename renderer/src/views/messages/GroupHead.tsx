import type { ReactNode } from 'react';
import { NetworkGlyph } from '../../components/NetworkGlyph.js';
import { useWords } from '../../words/index.js';
import type { AccountOfNetwork } from './groups.js';

interface GroupHeadProps {
  readonly of: AccountOfNetwork;
  readonly columns: number;
  /** How many of what the rows below are. */
  readonly count: string;
}

/** The account whose messages follow. */
export function GroupHead({ of: { connector, account }, columns, count }: GroupHeadProps): ReactNode {
  const words = useWords();
  const network = words.network(connector.name, connector.label);
  return (
    <tr className="grp">
      <th colSpan={columns} scope="rowgroup">
        <NetworkGlyph network={connector.name} /> <span>{network}</span>{' '}
        {account.displayName !== network && (
          <span className="tx-2" dir="auto">
            {account.displayName}
          </span>
        )}{' '}
        <span className="tx-2">· {count}</span>
      </th>
    </tr>
  );
}
