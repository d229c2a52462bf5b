import type { ReactNode } from 'react';
import { useCommand, useNow, useShellFacts } from '../../bridge/index.js';
import { classNames } from '../../components/class-names.js';
import { IconButton } from '../../components/IconButton.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords } from '../../words/index.js';
import type { AccountOfNetwork } from './groups.js';
import { kindWords } from './kind-words.js';
import { MessageKind } from './MessageKind.js';
import { PendingText } from './PendingText.js';
import type { PendingMessage } from './queues.js';
import { WhyItWaits } from './WhyItWaits.js';
import { whyWaiting } from './why-waiting.js';

interface WaitingRowProps {
  readonly of: AccountOfNetwork;
  readonly message: PendingMessage;
  readonly place: number;
  readonly paused: boolean;
  readonly onDiscard: () => void;
}

/** A message that will expire this soon asks to be looked at; milliseconds. */
const SOON_MS = 10 * 60_000;

/** One message that waits: what it is, since when, why, and what can be done. */
export function WaitingRow({ of, message, place, paused, onDiscard }: WaitingRowProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const now = useNow();
  const tellRefusal = useTellRefusal();
  const { showMessageText } = useShellFacts().preferences;
  const retry = useCommand('retry');
  const why = whyWaiting(of.account, place, message.lastError, paused);
  const age = format.duration(now - message.receivedAt);
  const left = message.expiresAt - now;
  const named = { what: kindWords(message, words), network: words.network(of.connector.name, of.connector.label), age };

  async function retryNow(): Promise<void> {
    tellRefusal(await retry.run({ accountId: of.account.accountId }));
  }

  return (
    <tr>
      <td className="what">
        <MessageKind message={message} />
        {showMessageText && <PendingText accountId={of.account.accountId} message={message} />}
      </td>
      <td className="num nowrap" data-l={t('messages.columns.age')}>
        {age}
      </td>
      <td className="wide">
        <WhyItWaits why={why} />
      </td>
      <td className="r" data-l={t('messages.columns.tries')}>
        {format.number(message.attempts)}
      </td>
      <td className="r" data-l={t('messages.columns.expires')}>
        <span className={classNames(left < SOON_MS && 'tx-attention medium')}>{format.duration(left)}</span>
      </td>
      <td className="acts-cell">
        <div className="acts">
          {'retryAt' in why && (
            <IconButton
              icon="refresh"
              label={t('messages.retry_of', named)}
              busy={retry.busy}
              onClick={() => void retryNow()}
            />
          )}
          <IconButton icon="trash" label={t('messages.discard_of', named)} onClick={onDiscard} />
        </div>
      </td>
    </tr>
  );
}
