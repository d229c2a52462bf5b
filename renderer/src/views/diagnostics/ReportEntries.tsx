import type { ReactNode } from 'react';
import type { BundleFacts } from '../../../../src/bridge/index.js';
import { useWords } from '../../words/index.js';

/** The files of the report, each to be opened and read. */
export function ReportEntries({ entries }: Pick<BundleFacts, 'entries'>): ReactNode {
  const { format } = useWords();
  return (
    <div className="report-entries">
      {entries.map(({ name, byteSize, content }) => (
        <details key={name}>
          <summary>
            <span className="mono">{name}</span> <span className="tx-2 num">{format.bytes(byteSize)}</span>
          </summary>
          <pre tabIndex={0} aria-label={name}>
            {content}
          </pre>
        </details>
      ))}
    </div>
  );
}
