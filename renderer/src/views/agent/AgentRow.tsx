import type { ReactNode } from 'react';
import type { AgentSnapshot, ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { useIsLive, useNow } from '../../bridge/index.js';
import { NOT_KNOWN, Sign } from '../../components/Sign.js';
import { useWords } from '../../words/index.js';

interface AgentRowProps {
  readonly agent: AgentSnapshot;
  readonly connectors: readonly ConnectorSnapshot[];
}

/** One connected agent, as it named itself. */
export function AgentRow({ agent, connectors }: AgentRowProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const now = useNow();
  const isLive = useIsLive();
  const connector = connectors.find(({ name }) => name === agent.connector);
  return (
    <div className="set">
      {isLive ? <Sign name="ok" tone="ok" /> : <Sign name={NOT_KNOWN.sign} tone={NOT_KNOWN.tone} />}
      <div className="grow">
        <p className="medium">
          <span dir="auto">{agent.name ?? t('agent.now.unnamed')}</span>{' '}
          <span className="tx-2">
            {agent.version !== undefined && `${agent.version} `}
            {t('agent.now.on', { network: words.network(agent.connector, connector?.label) })}
          </span>
        </p>
        <p className="help num">
          {t('agent.now.facts', {
            protocol: agent.protocolVersion,
            profile: agent.profile,
            channels: t('agent.now.channels', { n: agent.channels }),
            age: format.duration(now - agent.lastPacketAt),
          })}
        </p>
      </div>
      <span className="small tx-2 nowrap">{t('agent.now.since', { time: format.time(agent.connectedAt, now) })}</span>
    </div>
  );
}
