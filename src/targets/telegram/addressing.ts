import type { Message, MessageEntity } from 'grammy/types';

/** Who the bot is, as groups call it. */
export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/**
 * Whether a group message speaks to the bot: it mentions it, answers it, or is a command that is the bot's.
 * A command for another bot (`/start@other_bot`) is not, whatever else it holds.
 */
export function isAddressed(message: Message, bot: BotIdentity): boolean {
  const text = message.text ?? message.caption ?? '';
  const entities = message.entities ?? message.caption_entities ?? [];
  const command = entities.find(({ type, offset }) => type === 'bot_command' && offset === 0);
  if (command) {
    const [, recipient] = textOf(text, command).split('@');
    return recipient === undefined || sameName(recipient, bot.username);
  }
  if (entities.some((entity) => mentions(text, entity, bot))) return true;
  return message.reply_to_message?.from?.id === bot.id;
}

function mentions(text: string, entity: MessageEntity, bot: BotIdentity): boolean {
  if (entity.type === 'mention') return sameName(textOf(text, entity).slice(1), bot.username);
  if (entity.type === 'text_mention') return entity.user.id === bot.id;
  if (entity.type === 'text_link') return entity.url === `tg://user?id=${String(bot.id)}`;
  return false;
}

/** Entity offsets count UTF-16 units, as strings do. */
function textOf(text: string, { offset, length }: MessageEntity): string {
  return text.slice(offset, offset + length);
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
