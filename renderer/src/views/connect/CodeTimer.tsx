import type { ReactNode } from 'react';
import { ProgressBar } from '../../components/ProgressBar.js';
import { useWords } from '../../words/index.js';
import type { ShownCode } from './sign-in-session.js';
import { SOON_MS } from './SignInNews.js';

/** A longer time is told in minutes: nobody waits for its seconds. Milliseconds. */
const LONG_MS = 600_000;

interface CodeTimerProps {
  readonly shown: ShownCode;
  /** The person is asked for digits. */
  readonly asked: boolean;
  readonly scanned: boolean;
  /** It does not renew by itself. */
  readonly link: boolean;
  /** Unix ms. */
  readonly now: number;
}

/** How long a code lives. Never read out: those who listen are told when little is left. */
export function CodeTimer({ shown, asked, scanned, link, now }: CodeTimerProps): ReactNode {
  const { t, format } = useWords();
  const left = Math.max(0, shown.expiresAt - now);
  const time = { t: left > LONG_MS ? format.duration(left) : format.countdown(left) };
  const sentence = asked ? t('qr.left', time) : scanned ? t('qr.to_confirm', time) : t('qr.expires', time);
  return (
    <div className="timer">
      <ProgressBar
        label={t('qr.time_left')}
        max={Math.max(1, shown.expiresAt - shown.shownAt)}
        value={left}
        low={left <= SOON_MS}
      />
      <div className="row">
        <span className="num">{sentence}</span>
        {!scanned && !link && <span>{t('qr.renews')}</span>}
      </div>
    </div>
  );
}
