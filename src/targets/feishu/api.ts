import { access } from 'node:fs/promises';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import type { StoredFile } from '../../files/file-store.js';
import { arrayOf, fieldsOf, textOf } from '../json-fields.js';
import type { FeishuClient } from './client.js';
import { withoutEffect } from './errors.js';
import type { FileAnswer } from './http-bridge.js';
import { FileForm } from './multipart.js';

/** 30 MB over a slow line. Milliseconds. */
const UPLOAD_TIMEOUT_MS = 300_000;
/** Until a download begins, milliseconds. */
const DOWNLOAD_TIMEOUT_MS = 30_000;

/** Kinds of file that Feishu shows a preview of; everything else is a stream of bytes to it. */
const FILE_TYPE_BY_EXTENSION: Readonly<Record<string, string>> = {
  opus: 'opus',
  mp4: 'mp4',
  pdf: 'pdf',
  doc: 'doc',
  docx: 'doc',
  xls: 'xls',
  xlsx: 'xls',
  csv: 'xls',
  ppt: 'ppt',
  pptx: 'ppt',
};

export type MessageContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly key: string }
  | { readonly type: 'file'; readonly key: string }
  | { readonly type: 'card'; readonly cardId: string };

/** The calls this connector makes, each once. All throw FeishuRefusal and TransportError. */
export class FeishuApi {
  readonly #client: FeishuClient;

  constructor(client: FeishuClient) {
    this.#client = client;
  }

  /** The bot's own open id. */
  async botId(signal: AbortSignal): Promise<string | undefined> {
    const answer = await this.#client.call({ method: 'GET', path: 'bot/v3/info', signal });
    return textOf(fieldsOf(answer['bot'])['open_id']);
  }

  /**
   * Writes to a person.
   * @param uuid for an hour, the same one sends the message once; at most 50 characters
   * @returns the message's id
   */
  async send(
    ownerId: string,
    content: MessageContent,
    uuid: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const { message_id } = await this.#client.call({
      method: 'POST',
      path: 'im/v1/messages',
      params: { receive_id_type: 'open_id' },
      data: { receive_id: ownerId, ...wireContent(content), uuid },
      signal,
    });
    return textOf(message_id);
  }

  /** Takes a message of ours back. */
  async recall(messageId: string, signal?: AbortSignal): Promise<void> {
    await this.#client.call({ method: 'DELETE', path: `im/v1/messages/${encodeURIComponent(messageId)}`, signal });
  }

  async uploadImage(file: StoredFile, signal: AbortSignal): Promise<string> {
    const form = new FileForm({ image_type: 'message' }, { field: 'image', filename: file.filename, stored: file });
    return this.#upload('im/v1/images', form, file, 'image_key', signal);
  }

  async uploadFile(file: StoredFile, signal: AbortSignal): Promise<string> {
    const extension = file.filename.split('.').pop()?.toLowerCase() ?? '';
    const fields = { file_type: FILE_TYPE_BY_EXTENSION[extension] ?? 'stream', file_name: file.filename };
    const form = new FileForm(fields, { field: 'file', filename: file.filename, stored: file });
    return this.#upload('im/v1/files', form, file, 'file_key', signal);
  }

  /** Opens a file of a message that somebody sent. */
  async openResource(messageId: string, key: string, type: 'image' | 'file', signal: AbortSignal): Promise<FileAnswer> {
    return this.#client.open({
      method: 'GET',
      path: `im/v1/messages/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`,
      params: { type },
      signal,
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    });
  }

  /** @returns the reaction's id */
  async react(messageId: string, emoji: string): Promise<string | undefined> {
    const data = { reaction_type: { emoji_type: emoji } };
    const answer = await this.#client.call({ method: 'POST', path: reactionsOf(messageId), data });
    return textOf(answer['reaction_id']);
  }

  async unreact(messageId: string, reactionId: string): Promise<void> {
    await this.#client.call({
      method: 'DELETE',
      path: `${reactionsOf(messageId)}/${encodeURIComponent(reactionId)}`,
    });
  }

  /** Reactions of one kind that this app itself put on a message. */
  async ownReactions(messageId: string, emoji: string): Promise<string[]> {
    const params = { reaction_type: emoji };
    const { items } = await this.#client.call({ method: 'GET', path: reactionsOf(messageId), params });
    const { appId } = this.#client.access;
    return arrayOf(items).flatMap((item) => {
      const { reaction_id, operator } = fieldsOf(item);
      const { operator_id, operator_type } = fieldsOf(operator);
      return typeof reaction_id === 'string' && operator_type === 'app' && operator_id === appId ? [reaction_id] : [];
    });
  }

  // ------------------------------------------------------------ cards

  async createCard(card: object, signal: AbortSignal): Promise<string> {
    const data = { type: 'card_json', data: JSON.stringify(card) };
    const { card_id } = await this.#client.call({ method: 'POST', path: 'cardkit/v1/cards', data, signal });
    return required(card_id);
  }

  /** Shows a longer text in an element that streams. */
  async streamText(
    cardId: string,
    element: string,
    content: string,
    sequence: number,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#client.call({
      method: 'PUT',
      path: `${cardPath(cardId)}/elements/${element}/content`,
      data: { content, sequence, uuid: `${cardId}_${sequence}` },
      signal,
    });
  }

  /** Replaces a card as a whole. */
  async replaceCard(cardId: string, card: object, sequence: number, signal: AbortSignal): Promise<void> {
    await this.#client.call({
      method: 'PUT',
      path: cardPath(cardId),
      data: { card: { type: 'card_json', data: JSON.stringify(card) }, sequence, uuid: `${cardId}_${sequence}` },
      signal,
    });
  }

  /** An upload shows nothing to anybody: a failed one has had no effect. */
  async #upload(path: string, form: FileForm, file: StoredFile, key: string, signal: AbortSignal): Promise<string> {
    await access(file.path).catch(() => {
      throw new TargetRefusal('file_unavailable', 'The file is no longer on this machine', { retryable: false });
    });
    try {
      const answer = await this.#client.call({ method: 'POST', path, form, signal, timeoutMs: UPLOAD_TIMEOUT_MS });
      return required(answer[key]);
    } catch (error) {
      throw withoutEffect(error);
    }
  }
}

function wireContent(content: MessageContent): { readonly msg_type: string; readonly content: string } {
  switch (content.type) {
    case 'text':
      return { msg_type: 'text', content: JSON.stringify({ text: content.text }) };
    case 'image':
      return { msg_type: 'image', content: JSON.stringify({ image_key: content.key }) };
    case 'file':
      return { msg_type: 'file', content: JSON.stringify({ file_key: content.key }) };
    case 'card':
      return { msg_type: 'interactive', content: JSON.stringify({ type: 'card', data: { card_id: content.cardId } }) };
  }
}

function reactionsOf(messageId: string): string {
  return `im/v1/messages/${encodeURIComponent(messageId)}/reactions`;
}

function cardPath(cardId: string): string {
  return `cardkit/v1/cards/${encodeURIComponent(cardId)}`;
}

function required(value: unknown): string {
  const text = textOf(value);
  if (text !== undefined) return text;
  throw new TransportError('server_error', 'The answer lacks what it should hold', { effect: 'none' });
}
