import type { ReactNode } from 'react';
import { Icon } from '../../components/Icon.js';
import { useWords } from '../../words/index.js';
import { type Direction, kindIcon, kindWords, type MessageSummary } from './kind-words.js';

interface MessageKindProps {
  readonly message: MessageSummary;
  readonly direction?: Direction;
}

/** What a message is, without a word of it. */
export function MessageKind({ message, direction }: MessageKindProps): ReactNode {
  const words = useWords();
  return (
    <span className="cell">
      <Icon name={kindIcon(message, direction)} />
      <span>{kindWords(message, words, direction)}</span>
    </span>
  );
}
