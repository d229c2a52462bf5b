import type { Message, Update } from 'grammy/types';
import type { InboundMessage } from '../target.js';
import { isAddressed, type BotIdentity } from './addressing.js';
import { maySpeak, type TelegramBinding } from './binding.js';
import { attachmentsOf } from './media.js';
import { isServiceMessage, wordsOf } from './message-text.js';
import { pairingCodeIn } from './pairing-code.js';

/** The kinds of update that are asked for; Telegram keeps this choice, so it is said with every poll. */
export const WANTED_UPDATES = ['message', 'edited_message', 'my_chat_member'] as const;

/** The pictures of an album come as updates of their own, within a moment. */
export const ALBUM_WINDOW_MS = 1_500;

/** What an update of the bound chat is to its account. */
export type Verdict =
  | { readonly kind: 'message'; readonly message: InboundMessage; readonly topicId: number | undefined }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason };

export type IgnoreReason =
  'service_message' | 'location_update' | 'not_addressed' | 'sender_not_allowed' | 'pairing_code' | 'unreadable';

/** The message of an update, new or edited. */
export function messageOf(update: Update): Message | undefined {
  return update.message ?? update.edited_message;
}

/**
 * Judges one update of the chat an account is bound to. Pure.
 * @param addressedAlbums albums of which another picture speaks to the bot: a caption stands on one picture only
 */
export function readUpdate(
  update: Update,
  binding: TelegramBinding,
  bot: BotIdentity,
  addressedAlbums: ReadonlySet<string>,
): Verdict | undefined {
  const message = messageOf(update);
  if (message?.chat.id !== binding.chatId) return undefined;
  const edited = update.edited_message !== undefined;
  if (isServiceMessage(message)) return ignored('service_message');
  // A shared live location is edited every few seconds; nobody writes by that.
  if (edited && message.location !== undefined) return ignored('location_update');
  if (pairingCodeIn(message.text) !== undefined) return ignored('pairing_code');
  if (binding.chatType === 'group') {
    const album = message.media_group_id;
    const addressed = isAddressed(message, bot) || (album !== undefined && addressedAlbums.has(album));
    if (!addressed) return ignored('not_addressed');
    if (message.from === undefined || !maySpeak(binding, message.from.id)) return ignored('sender_not_allowed');
  }
  const topicId = message.is_topic_message === true ? message.message_thread_id : undefined;
  return { kind: 'message', message: toInbound(message, edited ? update.update_id : undefined), topicId };
}

/** Albums of a batch in which a picture speaks to the bot. */
export function addressedAlbumsOf(updates: readonly Update[], bot: BotIdentity): string[] {
  return updates.flatMap((update) => {
    try {
      const message = messageOf(update);
      return message?.media_group_id !== undefined && isAddressed(message, bot) ? [message.media_group_id] : [];
    } catch {
      // One that can't be read is judged by itself afterwards; it must not hold up the batch it came with.
      return [];
    }
  });
}

/** An edit is a message of its own: the agent may have answered the first wording already. */
function toInbound(message: Message, editUpdateId: number | undefined): InboundMessage {
  const id = `tg:${String(message.chat.id)}:${String(message.message_id)}`;
  const isGroup = message.chat.type !== 'private';
  const name = [message.from?.first_name, message.from?.last_name].filter(Boolean).join(' ');
  return {
    id: editUpdateId === undefined ? id : `${id}:edit:${String(editUpdateId)}`,
    text: wordsOf(message),
    attachments: attachmentsOf(message),
    sender: { id: String(message.from?.id ?? message.chat.id), ...(name === '' ? {} : { name }) },
    conversation: { id: String(message.chat.id), type: isGroup ? 'group' : 'p2p' },
    sentAt: (message.edit_date ?? message.date) * 1_000,
    ...(message.media_group_id === undefined || editUpdateId !== undefined
      ? {}
      : { mergeKey: message.media_group_id, mergeWindowMs: ALBUM_WINDOW_MS }),
  };
}

function ignored(reason: IgnoreReason): Verdict {
  return { kind: 'ignored', reason };
}
