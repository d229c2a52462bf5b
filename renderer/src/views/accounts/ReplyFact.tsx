import type { ReactNode } from 'react';
import type { AccountSnapshot } from '../../../../src/bridge/index.js';
import { Gauge } from '../../components/Gauge.js';
import { useWords } from '../../words/index.js';

/** From here down a person should know. */
const FEW_REPLIES = 2;

interface ReplyFactProps {
  readonly replyWindow: NonNullable<AccountSnapshot['replyWindow']>;
  /** Answers that wait until the person writes again. */
  readonly held: number;
  /** Unix ms. */
  readonly now: number;
}

/** How many more messages the network takes before the person must write again. */
export function ReplyFact({ replyWindow: { remaining, limit, until }, held, now }: ReplyFactProps): ReactNode {
  const { t, format } = useWords();
  const left = until > now ? remaining : 0;
  return (
    <>
      {/* An empty one would tell no more than the words, which need its room. */}
      {left > 0 && (
        <Gauge value={left} max={limit} lowAt={FEW_REPLIES} label={t('fact.replies.gauge', { n: left, max: limit })} />
      )}
      <span className="num">
        {held > 0
          ? t('fact.replies.held', { n: held })
          : left === 0
            ? t('fact.replies.none')
            : t('fact.replies.until', { n: left, time: format.clock(until) })}
      </span>
    </>
  );
}
