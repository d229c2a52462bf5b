import { type ReactNode, useId, useState } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useIsLive, useNow, useWallNow } from '../../bridge/index.js';
import { NetworkGlyph } from '../../components/NetworkGlyph.js';
import { Say } from '../../components/Say.js';
import { NOT_KNOWN } from '../../components/Sign.js';
import type { AccountRow } from '../../shell/accounts-of.js';
import { useWords } from '../../words/index.js';
import { AccountActions } from './AccountActions.js';
import { AccountFacts } from './AccountFacts.js';
import { AccountMenu } from './AccountMenu.js';
import { fixOf } from './fix-of.js';
import { nameOf } from './names.js';
import { sentenceOf } from './sentence.js';
import { SIGN_OF } from './sign-of.js';

interface AccountItemProps {
  readonly row: AccountRow;
  readonly snapshot: Snapshot;
}

/** One account: the picture of its state, one plain sentence, what to do, and the facts that prove it. */
export function AccountItem({ row, snapshot }: AccountItemProps): ReactNode {
  const words = useWords();
  const now = useNow();
  const wallNow = useWallNow();
  const id = useId();
  const fixId = useId();
  const [fixShown, setFixShown] = useState(false);
  const { connector, standing } = row;
  const isLive = useIsLive();
  const { sign, tone } = isLive ? SIGN_OF[standing.kind] : NOT_KNOWN;
  const fix = fixOf(row, words);
  const isFixShown = fixShown && fix !== undefined;
  return (
    <article className="acct" aria-labelledby={id}>
      <span className="tile">
        <NetworkGlyph network={connector.name} />
      </span>
      <div>
        <h2 id={id}>
          <span>{words.network(connector.name, connector.label)}</span>
          <span className="net" dir="auto">
            {nameOf(row)}
          </span>
        </h2>
        <Say sign={sign} tone={tone}>
          {isLive
            ? sentenceOf(row, words, now)
            : words.t('state.last_known', {
                time: words.format.time(now, wallNow),
                sentence: sentenceOf(row, words, undefined),
              })}
        </Say>
        {isFixShown && (
          <p className="fix" id={fixId}>
            {fix}
          </p>
        )}
      </div>
      <div className="acts">
        <AccountActions
          row={row}
          fix={fix === undefined ? undefined : { id: fixId, shown: isFixShown, toggle: () => setFixShown(!fixShown) }}
        />
        <AccountMenu row={row} />
      </div>
      <AccountFacts row={row} snapshot={snapshot} now={now} />
    </article>
  );
}
