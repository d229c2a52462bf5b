import type { ReactNode } from 'react';
import { snapshotOf, useHost, useShellFacts } from '../../bridge/index.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { PageBody } from '../../components/PageBody.js';
import { PageHead } from '../../components/PageHead.js';
import { Panel } from '../../components/Panel.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { accountsOf } from '../../shell/accounts-of.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { Connect } from '../connect/Connect.js';
import { NetworkChoice } from '../connect/NetworkChoice.js';
import type { ViewProps } from '../view-props.js';
import { AccountItem } from './AccountItem.js';
import { headingOf } from './heading.js';

/** Every account with how it stands, and below it the way to connect one. */
export function Accounts({ path: [place, network] }: ViewProps): ReactNode {
  return place === 'connect' ? <Connect key={network} network={network} /> : <AccountList />;
}

function AccountList(): ReactNode {
  const words = useWords();
  const { t } = words;
  const host = useHost();
  const snapshot = snapshotOf(host);
  const { online } = useShellFacts();
  if (snapshot === undefined) {
    return (
      <>
        <PageHead title={t('accounts.title')} sub={host.stage === 'starting' ? t('accounts.loading') : undefined} />
        <PageBody>
          <WaitingForHost shape="accounts" rows={3} />
        </PageBody>
      </>
    );
  }
  const rows = accountsOf(snapshot, online);
  const isEmpty = rows.length === 0;
  return (
    <>
      <PageHead
        title={t('accounts.title')}
        // What was true a while ago is no heading.
        sub={host.stage === 'running' ? headingOf(rows, snapshot, online, words) : undefined}
        actions={
          !isEmpty && (
            <ButtonLink kind="primary" icon="plus" href={href('accounts', 'connect')}>
              {t('accounts.connect')}
            </ButtonLink>
          )
        }
      />
      <PageBody>
        {isEmpty ? (
          <FirstAccount />
        ) : (
          <Panel aria-label={t('accounts.title')}>
            {rows.map((row) => (
              <AccountItem key={row.account.accountId} row={row} snapshot={snapshot} />
            ))}
          </Panel>
        )}
      </PageBody>
    </>
  );
}

function FirstAccount(): ReactNode {
  const { t } = useWords();
  return (
    <>
      <div className="empty open">
        <h2>{t('accounts.empty.title')}</h2>
        <p>{t('accounts.empty.text')}</p>
      </div>
      <NetworkChoice />
    </>
  );
}
