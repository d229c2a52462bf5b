import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useNow } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { useWords } from '../../words/index.js';
import { href } from '../route.js';

/** Messages wait for an agent, and none that could take them is connected. */
export function NoAgentBanner({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t, format } = useWords();
  const now = useNow();
  const held = snapshot.connectors
    .flatMap(({ accounts }) => accounts)
    .filter(({ queue, agentConnected }) => queue.pending > 0 && !agentConnected);
  if (held.length === 0) return null;
  const n = held.reduce((sum, { queue }) => sum + queue.pending, 0);
  const oldest = Math.min(...held.map(({ queue }) => queue.oldestReceivedAt ?? now));
  return (
    <Banner
      tone="info"
      sign="hold"
      title={t('no_agent.title', { n })}
      actions={<ButtonLink href={href('agent')}>{t('no_agent.connect')}</ButtonLink>}
    >
      <p>{t('no_agent.text', { age: format.duration(now - oldest) })}</p>
    </Banner>
  );
}
