import type { IconName } from '../../components/Icon.js';
import type { Words } from '../../words/index.js';
import type { EndedMessage, HeldReply, PendingMessage } from './queues.js';

export type MessageSummary = Pick<PendingMessage | EndedMessage | HeldReply, 'kind' | 'length'>;
/** From the person to the agent, or from the agent to the network. */
export type Direction = EndedMessage['direction'];

const ICONS: Readonly<Record<MessageSummary['kind'], IconName>> = {
  text: 'chat',
  image: 'image',
  video: 'play',
  audio: 'pulse',
  file: 'file',
};

export function kindIcon({ kind }: MessageSummary, direction: Direction = 'inbound'): IconName {
  return direction === 'outbound' ? 'to-net' : ICONS[kind];
}

/** What a message is, without a word of it: its kind and how long its text is. */
export function kindWords(message: MessageSummary, { t }: Words, direction: Direction = 'inbound'): string {
  const { kind, length } = message;
  if (direction === 'outbound') {
    return kind === 'text' ? t('messages.kind.answer', { n: length }) : t('messages.kind.answer_file');
  }
  if (kind === 'text') return t('messages.kind.text', { n: length });
  return length === 0 ? t(`messages.kind.${kind}`) : t(`messages.kind.${kind}_text`);
}
