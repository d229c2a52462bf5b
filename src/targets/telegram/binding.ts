import { fieldsOf } from '../json-fields.js';
import type { Json } from '../target.js';

/** What an account of Telegram is: one bot in one chat, and who may speak to the agent there. Kept without secrets. */
export interface TelegramBinding {
  readonly botId: number;
  readonly botUsername: string;
  readonly chatId: number;
  readonly chatType: 'private' | 'group';
  /** The person who bound the account, where that is known. */
  readonly ownerId: number | undefined;
  /** Further people of a group whose messages are taken. */
  readonly allow: readonly number[];
  /** `anyone`: the server could not name a group's administrators, so that everybody who addresses the bot is heard. */
  readonly access: 'listed' | 'anyone';
}

/** Under this name the reader of a bot keeps its state. */
export function consumerOf(botId: number): string {
  return `telegram/${String(botId)}`;
}

/** Stable over renewed sign-ins: the same bot in the same chat is the same account. */
export function identityOf({ botId, chatId }: Pick<TelegramBinding, 'botId' | 'chatId'>): string {
  return `${String(botId)}:${String(chatId)}`;
}

export function bindingToJson(binding: TelegramBinding): Json {
  const { ownerId, allow, ...rest } = binding;
  return { ...rest, allow: [...allow], ...(ownerId === undefined ? {} : { ownerId }) };
}

/** @throws TypeError when the stored value is not one that {@link bindingToJson} wrote */
export function bindingFromJson(json: Json): TelegramBinding {
  const { botId, botUsername, chatId, chatType, ownerId, allow, access } = fieldsOf(json);
  if (typeof botId !== 'number' || typeof chatId !== 'number' || typeof botUsername !== 'string') {
    throw new TypeError('A stored Telegram binding is damaged');
  }
  return {
    botId,
    botUsername,
    chatId,
    chatType: chatType === 'group' ? 'group' : 'private',
    ownerId: typeof ownerId === 'number' ? ownerId : undefined,
    allow: Array.isArray(allow) ? allow.filter((id): id is number => typeof id === 'number') : [],
    access: access === 'anyone' ? 'anyone' : 'listed',
  };
}

/** Whether a person of the bound chat may speak to the agent. */
export function maySpeak(binding: TelegramBinding, senderId: number): boolean {
  if (binding.chatType === 'private' || binding.access === 'anyone') return true;
  return senderId === binding.ownerId || binding.allow.includes(senderId);
}

/** The bot's name with its middle hidden, fit for a descriptor: `@pl***_bot`. */
export function redactedBotName(username: string): string {
  const visible = 2;
  const tail = /_?bot$/i.exec(username)?.[0] ?? '';
  return `@${username.slice(0, visible)}***${username.length > visible + tail.length ? tail : ''}`;
}
