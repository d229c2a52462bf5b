import type { IconName } from '../../components/Icon.js';
import type { Words } from '../../words/index.js';
import type { EndedMessage, PendingMessage } from './queues.js';

type Summary = Pick<PendingMessage | EndedMessage, 'kind' | 'length'>;

const ICONS: Readonly<Record<Summary['kind'], IconName>> = {
  text: 'chat',
  image: 'image',
  video: 'play',
  audio: 'bell',
  file: 'file',
};

export function kindIcon({ kind }: Summary): IconName {
  return ICONS[kind];
}

/** What a message is, without a word of it: its kind and how long its text is. */
export function kindWords({ kind, length }: Summary, { t }: Words): string {
  if (kind === 'text') return t('messages.kind.text', { n: length });
  return length === 0 ? t(`messages.kind.${kind}`) : t(`messages.kind.${kind}_text`, { n: length });
}
