import type { ReactNode } from 'react';
import { useNow } from '../../bridge/index.js';
import { Sign, type SignName, type Tone } from '../../components/Sign.js';
import { useWords, type Words } from '../../words/index.js';
import type { WhyWaiting } from './why-waiting.js';

const SIGNS: Readonly<Record<WhyWaiting['code'], readonly [SignName, Tone]>> = {
  behind: ['hold', 'busy'],
  paused: ['paused', 'idle'],
  no_agent: ['none', 'idle'],
  no_agent_server: ['none', 'idle'],
  offered: ['busy', 'busy'],
  ack_timeout: ['wait', 'attention'],
  disconnected: ['wait', 'attention'],
  transmit_failed: ['wait', 'attention'],
  store_failed: ['danger', 'danger'],
  agent_asked_later: ['attention', 'attention'],
};

/** A timer that ends now is told as this much, because "in 0 s" is no time; milliseconds. */
const LEAST_MS = 1000;

/** Why a message waits: a sign and a sentence, with a countdown only where a timer runs. */
export function WhyItWaits({ why }: { readonly why: WhyWaiting }): ReactNode {
  const words = useWords();
  const now = useNow();
  const [name, tone] = SIGNS[why.code];
  return (
    <span className="cell">
      <Sign name={name} tone={tone} />
      <span>{sentenceOf(why, now, words)}</span>
    </span>
  );
}

function sentenceOf(why: WhyWaiting, now: number, { t, format }: Words): string {
  if (!('retryAt' in why)) return t(`messages.why.${why.code}`);
  const time = format.duration(Math.max(LEAST_MS, why.retryAt - now));
  if (why.code === 'agent_asked_later') return t('messages.why.agent_asked_later', { code: why.agentCode, time });
  return t(`messages.why.${why.code}`, { time });
}
