import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useNow } from '../../bridge/index.js';
import { Empty } from '../../components/Empty.js';
import { Section } from '../../components/Section.js';
import { Sign } from '../../components/Sign.js';
import { useWords } from '../../words/index.js';
import { AgentRow } from './AgentRow.js';
import { AgentServerRow } from './AgentServerRow.js';

/** Every agent that said hello, and callers that were turned away. */
export function ConnectedNow({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const { agents, agentServer, refusedKeys } = snapshot;
  const usesAgentServer = agentServer.state.status !== 'unused';
  return (
    <Section title={t('agent.now.title')}>
      <div className="panel">
        {agents.map((agent, index) => (
          <AgentRow
            key={`${agent.connector}:${agent.connectedAt}:${index}`}
            agent={agent}
            connectors={snapshot.connectors}
          />
        ))}
        {usesAgentServer && <AgentServerRow facts={agentServer} />}
        {agents.length === 0 && !usesAgentServer && (
          <Empty picture={<Sign name="none" tone="idle" />} title={t('agent.now.none_title')}>
            <p>{t('agent.now.none_text')}</p>
          </Empty>
        )}
        {refusedKeys !== undefined && <RefusedRow refusedKeys={refusedKeys} />}
      </div>
    </Section>
  );
}

function RefusedRow({ refusedKeys }: { readonly refusedKeys: NonNullable<Snapshot['refusedKeys']> }): ReactNode {
  const { t, format } = useWords();
  const now = useNow();
  return (
    <div className="set">
      <Sign name="attention" tone="attention" />
      <div className="grow">
        <p className="medium">
          {t('agent.now.refused', { n: refusedKeys.count })} <span className="tx-2">{refusedKeys.address}</span>
        </p>
        <p className="help">{t('agent.now.refused_text', { time: format.time(refusedKeys.lastAt, now) })}</p>
      </div>
    </div>
  );
}
