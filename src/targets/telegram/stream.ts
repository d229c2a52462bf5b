import { TransportError } from '../../base/errors.js';
import { isMethodUnknown, isRefusal } from './errors.js';
import { fitText } from './outbound.js';
import { wellFormed } from '../split-text.js';
import { previewGone, type OutboundPart, type Receipt, type StreamCapable } from '../target.js';
import type { Bot } from './bot.js';
import type { ChatCalls } from './chat-calls.js';

/** Drafts are numbered by 31 bits, zero excluded. */
const MAX_DRAFT_ID = 2 ** 31 - 1;
/** Shown while there are no words yet; Telegram takes no empty message. */
const PLACEHOLDER = '…';

type Handle = { readonly kind: 'draft'; readonly id: number } | { readonly kind: 'message'; readonly id: number };

/**
 * An answer that grows before the reader's eyes. In a private chat it is a draft, which Telegram forgets by itself; where
 * drafts are not to be had it is a message that is edited, and that stays if this program dies.
 */
export class TelegramStream implements StreamCapable {
  readonly minIntervalMs: number;
  readonly #chat: ChatCalls;
  readonly #bot: Bot;
  readonly #random: () => number;

  constructor(chat: ChatCalls, bot: Bot, minIntervalMs: number, random: () => number) {
    this.#chat = chat;
    this.#bot = bot;
    this.minIntervalMs = minIntervalMs;
    this.#random = random;
  }

  async open(text: string, signal: AbortSignal): Promise<{ handle: string; visible: boolean }> {
    if (this.#chat.binding.chatType === 'private' && this.#bot.takesDrafts) {
      const draft: Handle = { kind: 'draft', id: 1 + Math.floor(this.#random() * (MAX_DRAFT_ID - 1)) };
      if (await this.#showDraft(draft.id, text, signal)) return { handle: write(draft), visible: false };
    }
    const { message_id } = await this.#chat.call(
      (api, { chat_id, ...other }) => api.sendMessage(chat_id, shown(text), other),
      signal,
    );
    return { handle: write({ kind: 'message', id: message_id }), visible: true };
  }

  async update(handle: string, text: string, signal: AbortSignal): Promise<void> {
    const { kind, id } = read(handle);
    if (kind === 'draft') await this.#showDraft(id, text, signal);
    else await this.#edit(id, shown(text), signal);
  }

  async finish(handle: string, part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt> {
    const { kind, id } = read(handle);
    // A draft makes way for the message by itself.
    if (kind === 'draft') return this.#chat.send(part, key, signal);
    if (part.kind === 'text' && part.text.trim() !== '') {
      if (await this.#edit(id, wellFormed(part.text), signal)) return { messageId: String(id) };
    } else {
      // A file can't take the place of a text: the text goes first, so that it is never seen twice.
      await this.#remove(id, signal);
    }
    throw previewGone();
  }

  /** False where drafts are not to be had; asked no more from then on. */
  async #showDraft(draftId: number, text: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#chat.call(
        (api, { chat_id, ...other }) =>
          api.sendMessageDraft(chat_id, draftId, text.trim() === '' ? '' : fitText(text), other),
        signal,
      );
      return true;
    } catch (error) {
      if (!isMethodUnknown(error) && !isRefusal(error, 'draft_refused', 'target_rejected')) throw error;
      this.#bot.takesDrafts = false;
      return false;
    }
  }

  /** False when the message is gone. */
  async #edit(messageId: number, text: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#chat.call((api, { chat_id }) => api.editMessageText(chat_id, messageId, text), signal);
      return true;
    } catch (error) {
      if (isRefusal(error, 'not_modified')) return true;
      if (isRefusal(error, 'message_gone')) return false;
      // The same edit twice is one edit: whatever became of this one, it may be repeated.
      if (error instanceof TransportError) throw new TransportError(error.code, error.message, { effect: 'none' });
      throw error;
    }
  }

  async #remove(messageId: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#chat.call((api, { chat_id }) => api.deleteMessage(chat_id, messageId), signal);
    } catch (error) {
      if (!isMethodUnknown(error) && !isRefusal(error, 'message_gone', 'target_rejected')) throw error;
    }
  }
}

function shown(text: string): string {
  return text.trim() === '' ? PLACEHOLDER : fitText(text);
}

function write({ kind, id }: Handle): string {
  return `${kind}:${String(id)}`;
}

/** @throws TypeError for a handle that {@link write} did not make */
function read(handle: string): Handle {
  const match = /^(draft|message):(\d+)$/.exec(handle);
  if (!match) throw new TypeError('A stored Telegram stream handle is damaged');
  return { kind: match[1] === 'draft' ? 'draft' : 'message', id: Number(match[2]) };
}
