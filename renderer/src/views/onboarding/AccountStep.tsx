import type { ReactNode } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { useSnapshot } from '../../bridge/index.js';
import { Icon } from '../../components/Icon.js';
import { NetworkGlyph } from '../../components/NetworkGlyph.js';
import { Sign } from '../../components/Sign.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';

/** A chat that the person already uses, to be connected. */
export function AccountStep(): ReactNode {
  const { t } = useWords();
  const snapshot = useSnapshot();
  const networks = snapshot?.connectors.filter(({ name }) => name !== LOCAL);
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{t('onboarding.account.title')}</h1>
        <p className="lead">{t('onboarding.account.lead')}</p>
      </div>
      {networks === undefined ? (
        <WaitingForHost shape="rows" rows={4} />
      ) : (
        <div className="panel">
          {networks.map((connector) => (
            <NetworkLink key={connector.name} connector={connector} />
          ))}
        </div>
      )}
      <p className="small tx-2">{t('onboarding.account.local_instead')}</p>
    </>
  );
}

function NetworkLink({ connector: { name, label, accounts } }: { readonly connector: ConnectorSnapshot }): ReactNode {
  const words = useWords();
  const { t } = words;
  const [first] = accounts;
  return (
    <a className="set" href={href('accounts', 'connect', name)}>
      <span className="tile">
        <NetworkGlyph network={name} />
      </span>
      <span className="grow">
        <span className="medium">{words.network(name, label)}</span>
        <br />
        <span className="small tx-2">
          {first === undefined
            ? words.code('onboarding.account.how', name)
            : t('onboarding.account.connected', { name: first.displayName })}
        </span>
      </span>
      {first === undefined ? <Icon name="right" /> : <Sign name="ok" tone="ok" />}
    </a>
  );
}
