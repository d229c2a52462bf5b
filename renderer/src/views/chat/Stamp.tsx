import type { ReactNode } from 'react';
import { classNames } from '../../components/class-names.js';
import { Icon } from '../../components/Icon.js';
import { Sign } from '../../components/Sign.js';
import { useWords, type Words } from '../../words/index.js';
import type { LocalMessage } from './conversation.js';

interface StampProps {
  readonly state: LocalMessage['state'];
  /** Unix ms. */
  readonly at: number;
  /** Somebody would take it right now. */
  readonly taken: boolean;
  /** How long it waits for an agent, milliseconds; undefined while it is not known. */
  readonly keptMs: number | undefined;
}

/** What became of a message that the person wrote, and when it was written. */
export function Stamp({ state, at, taken, keptMs }: StampProps): ReactNode {
  const words = useWords();
  const { format } = words;
  const waits = state === 'waiting' && !taken;
  const lost = state === 'rejected' || state === 'expired' || state === 'evicted' || state === 'discarded';
  return (
    <span className={classNames('stamp', waits && 'tx-attention', lost && 'tx-danger')}>
      {(state === 'delivered' || state === undefined) && <Icon name="check" />}
      {waits && <Sign name="hold" tone="busy" />}
      {lost && <Sign name={state === 'expired' ? 'wait' : 'danger'} tone="danger" />}
      <span>{wordsOf(state, taken, keptMs, words)}</span>
      <span className="num">{format.clock(at)}</span>
    </span>
  );
}

function wordsOf(state: StampProps['state'], taken: boolean, keptMs: number | undefined, { t, format }: Words): string {
  if (state === undefined || state === 'delivered') return t('chat.state.delivered');
  if (state !== 'waiting') return t(`chat.state.${state}`);
  if (taken) return t('chat.state.under_way');
  return keptMs === undefined ? t('chat.state.waiting') : t('chat.state.waiting_for', { ttl: format.duration(keptMs) });
}
