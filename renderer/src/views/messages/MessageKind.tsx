import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon.js';
import { useWords } from '../../words/index.js';
import { kindIcon, kindWords } from './kind-words.js';
import type { EndedMessage, PendingMessage } from './queues.js';

/** What a message is, without a word of it. */
export function MessageKind({ message }: { readonly message: PendingMessage | EndedMessage }): ReactNode {
  const words = useWords();
  return (
    <span className="cell">
      <Icon name={kindIcon(message)} />
      <span>{kindWords(message, words)}</span>
    </span>
  );
}
