import { type ReactNode, useState } from 'react';
import type { AccountSnapshot, ConnectorSnapshot, Snapshot } from '../../../../src/bridge/index.js';
import { useIsLive, useSnapshot } from '../../bridge/index.js';
import { Empty } from '../../components/Empty.js';
import { Icon } from '../../components/Icon.js';
import { PageBody } from '../../components/PageBody.js';
import { PageHead } from '../../components/PageHead.js';
import { Segmented } from '../../components/Segmented.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { useWords } from '../../words/index.js';
import { AgentPresence } from './AgentPresence.js';
import { ChatRoom } from './ChatRoom.js';
import { Pairing } from './Pairing.js';

/** The local chat: straight to the agent, over no network. */
export function Chat(): ReactNode {
  const { t } = useWords();
  const snapshot = useSnapshot();
  /** The person opened it here and now, so they are about to write. */
  const [opens, setOpens] = useState(false);
  if (snapshot === undefined) {
    return (
      <Closed>
        <WaitingForHost shape="chat" rows={4} />
      </Closed>
    );
  }
  const connector = snapshot.connectors.find(({ name }) => name === LOCAL);
  if (connector === undefined) {
    return (
      <Closed>
        <Empty place="open" picture={<Icon name="chat" />} title={t('chat.off.title')}>
          <p>{t('chat.off.text')}</p>
        </Empty>
      </Closed>
    );
  }
  return connector.accounts.length === 0 ? (
    <Closed sub={t('chat.lead.none')}>
      <Pairing onOpen={() => setOpens(true)} />
    </Closed>
  ) : (
    <Open snapshot={snapshot} connector={connector} opens={opens} />
  );
}

/** The view while there is no chat to write in. */
function Closed({ sub, children }: { readonly sub?: string; readonly children: ReactNode }): ReactNode {
  const { t } = useWords();
  return (
    <>
      <PageHead title={t('chat.title')} sub={sub} />
      <PageBody>{children}</PageBody>
    </>
  );
}

interface OpenProps {
  readonly snapshot: Snapshot;
  readonly connector: ConnectorSnapshot;
  readonly opens: boolean;
}

function Open({ snapshot, connector, opens }: OpenProps): ReactNode {
  const { t } = useWords();
  const [picked, setPicked] = useState<string>();
  const isLive = useIsLive();
  const { accounts } = connector;
  const account = accounts.find(({ accountId }) => accountId === picked) ?? accounts[0];
  if (account === undefined) return null;
  return (
    <>
      <PageHead
        title={t('chat.title')}
        // What was true a while ago is no heading, and nobody knows whether an agent is there.
        sub={isLive ? leadOf(account, snapshot.paused, t) : undefined}
        actions={
          <>
            {accounts.length > 1 && (
              <Segmented
                names
                label={t('chat.account')}
                value={account.accountId}
                segments={accounts.map(({ accountId, displayName }) => ({ value: accountId, label: displayName }))}
                onPick={setPicked}
              />
            )}
            {isLive && <AgentPresence account={account} />}
          </>
        }
      />
      <ChatRoom key={account.accountId} snapshot={snapshot} account={account} opens={opens} />
    </>
  );
}

function leadOf(account: AccountSnapshot, paused: boolean, t: ReturnType<typeof useWords>['t']): string {
  if (paused) return t('chat.lead.paused');
  return account.agentConnected ? t('chat.lead.ready') : t('chat.lead.away');
}
