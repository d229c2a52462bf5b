import type { UploadedFile } from '../telegram/multipart.js';

export interface SentMessage {
  readonly messageId: string;
  readonly receiveId: string;
  readonly receiveIdType: string;
  readonly type: string;
  readonly content: Readonly<Record<string, unknown>>;
  readonly uuid: string;
  recalled: boolean;
}

export interface Card {
  readonly cardId: string;
  text: string;
  isStreaming: boolean;
  sequence: number;
  /** Every text it ever showed. */
  readonly texts: string[];
}

export interface Reaction {
  readonly reactionId: string;
  readonly messageId: string;
  readonly emoji: string;
}

/** What the platform holds: everything bots did, and the files people sent. */
export class World {
  readonly messages: SentMessage[] = [];
  readonly cards = new Map<string, Card>();
  readonly reactions = new Map<string, Reaction>();
  /** Every reaction there ever was. */
  readonly reacted: Reaction[] = [];
  readonly uploads = new Map<string, UploadedFile & { readonly fields: Readonly<Record<string, unknown>> }>();
  /** Files of people's messages by `<message> <key>`. */
  readonly resources = new Map<string, Buffer>();
  #ids = 0;

  id(prefix: string): string {
    this.#ids += 1;
    return `${prefix}${String(this.#ids).padStart(6, '0')}`;
  }

  /** What a person sees of the bot, in order, each message as it stands now. */
  visible(): string[] {
    return this.messages.filter(({ recalled }) => !recalled).map((message) => this.#shown(message));
  }

  #shown({ type, content }: SentMessage): string {
    if (type === 'text') return String(content['text']);
    if (type === 'interactive') {
      const { data } = content;
      const cardId = typeof data === 'object' && data !== null && 'card_id' in data ? String(data.card_id) : '';
      return this.cards.get(cardId)?.text ?? '';
    }
    const upload = this.uploads.get(String(content['image_key'] ?? content['file_key']));
    return `[${type} ${upload?.filename ?? '?'}]`;
  }
}
