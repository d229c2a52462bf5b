import type { ReactNode } from 'react';
import { useSnapshot } from '../../bridge/index.js';
import { PageBody } from '../../components/PageBody.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { MessageLists } from './MessageLists.js';
import { MessagesHead } from './MessagesHead.js';
import { Traffic } from './Traffic.js';

/** What waits for an agent, what never reached one, and how much passed through. */
export function Messages(): ReactNode {
  const snapshot = useSnapshot();
  return (
    <>
      <MessagesHead />
      <PageBody>
        {snapshot === undefined ? (
          <WaitingForHost shape="table" rows={6} />
        ) : (
          <>
            <Traffic snapshot={snapshot} />
            <MessageLists snapshot={snapshot} />
          </>
        )}
      </PageBody>
    </>
  );
}
