import type { ReactNode } from 'react';
import { useNow, useShellFacts } from '../../bridge/index.js';
import { Sign, type SignName, type Tone } from '../../components/Sign.js';
import { useWords } from '../../words/index.js';
import { MessageKind } from './MessageKind.js';
import type { EndedMessage } from './queues.js';

const SIGNS: Readonly<Record<EndedMessage['outcome'], readonly [SignName, Tone]>> = {
  rejected: ['danger', 'danger'],
  expired: ['wait', 'attention'],
  evicted: ['attention', 'attention'],
  discarded: ['none', 'idle'],
};

/** One message that never reached an agent, and why. */
export function EndedRow({ message }: { readonly message: EndedMessage }): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const now = useNow();
  const { showMessageText } = useShellFacts().preferences;
  const [name, tone] = SIGNS[message.outcome];
  return (
    <tr>
      <td className="what">
        <MessageKind message={message} direction={message.direction} />
        {showMessageText && message.preview !== '' && (
          <p className="words" dir="auto">
            {message.preview}
          </p>
        )}
      </td>
      <td className="num nowrap">{format.time(message.endedAt, now)}</td>
      <td className="wide">
        <span className="cell">
          <Sign name={name} tone={tone} />
          <span>
            {message.outcome === 'rejected' && !words.knows('messages.happened', message.reason)
              ? t(`messages.rejected_${message.direction}`, { code: message.reason })
              : words.code('messages.happened', message.reason)}
          </span>
        </span>
      </td>
    </tr>
  );
}
