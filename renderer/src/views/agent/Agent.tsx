import type { ReactNode } from 'react';
import { useSnapshot } from '../../bridge/index.js';
import { PageBody } from '../../components/PageBody.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { AgentHead } from './AgentHead.js';
import { ApiKey } from './ApiKey.js';
import { BaseUrls } from './BaseUrls.js';
import { ConnectedNow } from './ConnectedNow.js';
import { Rehearsal } from './Rehearsal.js';

/** What an agent needs to connect, who is connected, and a rehearsal of it all. */
export function Agent(): ReactNode {
  const snapshot = useSnapshot();
  return (
    <>
      <AgentHead />
      <PageBody>
        {snapshot === undefined ? (
          <WaitingForHost shape="rows" rows={6} />
        ) : (
          <>
            <BaseUrls snapshot={snapshot} />
            <ApiKey snapshot={snapshot} />
            <ConnectedNow snapshot={snapshot} />
            <Rehearsal snapshot={snapshot} />
          </>
        )}
      </PageBody>
    </>
  );
}
