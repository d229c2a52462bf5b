import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useIsLive, useNow } from '../../bridge/index.js';
import { NOT_KNOWN, Sign, type SignName, type Tone } from '../../components/Sign.js';
import { useWords, type Words } from '../../words/index.js';

type Facts = Snapshot['agentServer'];

const SIGNS: Readonly<Record<Facts['state']['status'], { readonly sign: SignName; readonly tone: Tone }>> = {
  connected: { sign: 'ok', tone: 'ok' },
  connecting: { sign: 'busy', tone: 'busy' },
  offline: { sign: 'wait', tone: 'attention' },
  unused: { sign: 'none', tone: 'idle' },
};

/** A timer that ends now is told as this much; milliseconds. */
const LEAST_MS = 1000;

/** The AgentServer that accounts deliver to instead of an agent that connects here. */
export function AgentServerRow({ facts }: { readonly facts: Facts }): ReactNode {
  const words = useWords();
  const now = useNow();
  const isLive = useIsLive();
  const { sign, tone } = isLive ? SIGNS[facts.state.status] : NOT_KNOWN;
  return (
    <div className="set">
      <Sign name={sign} tone={tone} />
      <div className="grow">
        <p className="medium">{words.t('agent.now.server')}</p>
        <p className="help num">{sentenceOf(facts, now, words)}</p>
        {facts.warning !== undefined && <p className="help tx-attention">{words.t('agent.server.second_gateway')}</p>}
      </div>
    </div>
  );
}

function sentenceOf({ state, accounts }: Facts, now: number, { t, format }: Words): string {
  if (state.status === 'connected') return t('agent.server.connected', { n: accounts });
  if (state.status !== 'offline') return t(`agent.server.${state.status}`);
  return t('agent.server.offline', { time: format.duration(Math.max(LEAST_MS, state.retryAt - now)) });
}
