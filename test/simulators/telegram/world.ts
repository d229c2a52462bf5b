import type { Json } from './updates.js';
import type { UploadedFile } from './multipart.js';

/** A message the bot put into a chat, as people see it now. */
export interface ChatMessage {
  readonly messageId: number;
  readonly chatId: number;
  readonly method: string;
  text: string;
  readonly file?: UploadedFile;
  readonly threadId?: number;
  edits: string[];
  deleted: boolean;
}

export interface PersonOptions {
  readonly chatId?: number;
  readonly firstName?: string;
  readonly languageCode?: string;
  /** Further fields of the message, such as `entities` or `reply_to_message`. */
  readonly extra?: Json;
}

interface Group {
  readonly id: number;
  readonly title: string;
  readonly type: 'group' | 'supergroup';
  readonly admins: readonly { id: number; status: 'creator' | 'administrator' }[];
}

/** Chats, messages and files of one bot. */
export class World {
  readonly bot: { readonly id: number; readonly username: string };
  readonly messages: ChatMessage[] = [];
  /** Drafts shown, latest text last; Telegram forgets them. */
  readonly drafts: { chatId: number; draftId: number; text: string }[] = [];
  readonly actions: { chatId: number; action: string }[] = [];
  readonly files = new Map<string, { bytes: Buffer; path: string }>();
  /** Private chats that pressed Start. */
  readonly started = new Map<number, string>();
  readonly groups = new Map<number, Group>();
  #nextMessageId = 100;

  constructor(bot: { id: number; username: string }) {
    this.bot = bot;
  }

  nextMessageId(): number {
    return this.#nextMessageId++;
  }

  chatOf(id: number): Json | undefined {
    const group = this.groups.get(id);
    if (group) return { id, type: group.type, title: group.title };
    const firstName = this.started.get(id);
    return firstName === undefined ? undefined : { id, type: 'private', first_name: firstName };
  }

  /** A message of a person, as it stands in an update. */
  messageFrom(
    userId: number,
    content: Json,
    { chatId = userId, firstName = 'Ada', languageCode, extra }: PersonOptions,
  ): Json {
    if (chatId === userId) this.started.set(userId, firstName);
    const from = {
      id: userId,
      is_bot: false,
      first_name: firstName,
      ...(languageCode ? { language_code: languageCode } : {}),
    };
    const chat = this.chatOf(chatId);
    if (!chat) throw new Error(`no such chat: ${String(chatId)}`);
    return { message_id: this.nextMessageId(), date: Math.floor(Date.now() / 1000), chat, from, ...content, ...extra };
  }

  /** Puts a file where the bot can get it. */
  addFile(bytes: Buffer, name: string): { file_id: string; file_unique_id: string; file_size: number } {
    const id = `file-${String(this.files.size + 1)}`;
    this.files.set(id, { bytes, path: `documents/${name}` });
    return { file_id: id, file_unique_id: `u-${id}`, file_size: bytes.length };
  }

  post(method: string, chatId: number, text: string, other: { file?: UploadedFile; threadId?: number }): Json {
    const message: ChatMessage = {
      messageId: this.nextMessageId(),
      chatId,
      method,
      text,
      edits: [],
      deleted: false,
      ...other,
    };
    this.messages.push(message);
    return this.shown(message);
  }

  shown({ messageId, chatId, text }: ChatMessage): Json {
    const from = { id: this.bot.id, is_bot: true, first_name: 'Bot', username: this.bot.username };
    return { message_id: messageId, date: 1, chat: this.chatOf(chatId), from, text };
  }
}
