import type { ReactNode } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { useSnapshot } from '../../bridge/index.js';
import { NetworkGlyph } from '../../components/NetworkGlyph.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { href } from '../../shell/route.js';
import { useWords, type Words } from '../../words/index.js';

/** The networks that are switched on, each with how it is connected. */
export function NetworkChoice(): ReactNode {
  const words = useWords();
  const snapshot = useSnapshot();
  if (snapshot === undefined) return null;
  if (snapshot.connectors.length === 0) return <p className="tx-2">{words.t('connect.none')}</p>;
  return (
    <ul className="nets">
      {snapshot.connectors.map((connector) => (
        <li key={connector.name}>
          <a href={targetOf(connector)}>
            <span className="tile">
              <NetworkGlyph network={connector.name} />
            </span>
            <span>
              <span className="strong">{words.network(connector.name, connector.label)}</span>
              <span className="small">{howOf(connector, words)}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The local chat is opened where it is written. */
function targetOf({ name, accounts }: ConnectorSnapshot): string {
  return name === LOCAL && accounts.length > 0 ? href('chat') : href('accounts', 'connect', name);
}

function howOf({ name, authFlows }: ConnectorSnapshot, { named, t }: Words): string {
  return named('how', name, authFlows[0]?.type === 'qr_login' ? t('how.qr_login') : t('how.form'));
}
