import { fieldsOf, numberOf, textOf } from '../json-fields.js';
import type { InboundMessage } from '../target.js';
import { readContent } from './content.js';
import { isAddressed, nameMentions, readMentions } from './mentions.js';

/** In which groups the owner is heard: in none, or where they mention the bot. */
export type GroupMessages = 'ignore' | 'ownerMentions';

export interface InboundRules {
  readonly ownerId: string;
  /** Undefined while it is not known; then nobody can be seen to address the bot. */
  readonly botId: string | undefined;
  readonly groups: GroupMessages;
}

export type IgnoreReason = 'unreadable' | 'not_a_person' | 'stranger' | 'group' | 'not_addressed';

export type Verdict =
  | { readonly kind: 'message'; readonly message: InboundMessage }
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason };

/** Judges one `im.message.receive_v1`, as the SDK hands it out: header and event in one object. Pure. */
export function readEvent(event: unknown, rules: InboundRules): Verdict {
  const { event_id, sender, message } = fieldsOf(event);
  const fields = fieldsOf(message);
  const id = textOf(fields['message_id']);
  const chatId = textOf(fields['chat_id']);
  const type = textOf(fields['message_type']);
  const senderId = textOf(fieldsOf(fieldsOf(sender)['sender_id'])['open_id']);
  // Another app's messages have no open id; that they are no person's matters more.
  if (fieldsOf(sender)['sender_type'] === 'app') return ignored('not_a_person');
  if (id === undefined || chatId === undefined || type === undefined || senderId === undefined) {
    return ignored('unreadable');
  }
  if (senderId !== rules.ownerId) return ignored('stranger');
  const mentions = readMentions(fields['mentions']);
  const isDirect = fields['chat_type'] === 'p2p';
  if (!isDirect) {
    if (rules.groups === 'ignore') return ignored('group');
    if (!isAddressed(mentions, rules.botId)) return ignored('not_addressed');
  }
  const content = readContent(id, type, typeof fields['content'] === 'string' ? fields['content'] : '');
  const eventId = textOf(event_id);
  const sentAt = numberOf(Number(textOf(fields['create_time'])));
  return {
    kind: 'message',
    message: {
      id,
      ...(eventId !== undefined && { dedupKeys: [`event:${eventId}`] }),
      text: nameMentions(content.text, mentions, rules.botId),
      attachments: content.attachments,
      sender: { id: senderId },
      conversation: { id: chatId, type: isDirect ? 'p2p' : 'group' },
      ...(sentAt !== undefined && { sentAt }),
    },
  };
}

function ignored(reason: IgnoreReason): Verdict {
  return { kind: 'ignored', reason };
}
