import type { ReactNode } from 'react';
import { agentsConnected, type Snapshot } from '../../../../src/bridge/index.js';
import { useIsLive, useNow, useSnapshot } from '../../bridge/index.js';
import { PageHead } from '../../components/PageHead.js';
import { useWords, type Words } from '../../words/index.js';

/** The heading: how many agents there are and when one was heard last. */
export function AgentHead(): ReactNode {
  const words = useWords();
  const now = useNow();
  const snapshot = useSnapshot();
  const isLive = useIsLive();
  // What was true a while ago is no heading.
  return (
    <PageHead title={words.t('agent.title')} sub={snapshot && isLive ? sentenceOf(snapshot, now, words) : undefined} />
  );
}

function sentenceOf(snapshot: Snapshot, now: number, { t, format }: Words): string {
  const n = agentsConnected(snapshot);
  if (n > 0) {
    const heardAt = snapshot.agents.map(({ lastPacketAt }) => lastPacketAt);
    if (heardAt.length === 0) return t('agent.heading.served', { n });
    return t('agent.heading.some', { n, age: format.duration(now - Math.max(...heardAt)) });
  }
  const waiting = snapshot.connectors
    .flatMap(({ accounts }) => accounts)
    .reduce((sum, { queue }) => sum + queue.pending, 0);
  return waiting === 0 ? t('agent.heading.none') : t('agent.heading.waiting', { n: waiting });
}
