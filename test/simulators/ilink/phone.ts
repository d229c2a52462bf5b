import type { Cdn } from './cdn.js';
import { isRecord, type Json } from './rules.js';

/** A message of the bot on the person's screen. */
export interface Shown {
  readonly kind: 'text' | 'image' | 'video' | 'file';
  readonly text: string;
  readonly bytes: Buffer | undefined;
  readonly name: string | undefined;
  readonly clientId: string;
  readonly id: string;
}

const MAX_TEXT_BYTES = 16 * 1024;
const KINDS = new Map<unknown, Shown['kind']>([
  [1, 'text'],
  [2, 'image'],
  [4, 'file'],
  [5, 'video'],
]);

/** One person's conversation with their bot: what they see, and what the server lets through to them. */
export class Phone {
  readonly shown: Shown[] = [];
  /** Replies that the server takes after one message of the person. */
  quota = 10;
  left = 0;
  contextToken = '';
  isTyping = false;
  readonly #cdn: Cdn;
  #tokens = 0;

  constructor(cdn: Cdn) {
    this.#cdn = cdn;
  }

  /** The person writes: a new token, and the right to that many replies. */
  opened(): string {
    this.left = this.quota;
    this.contextToken = `context-token-canary-${String(++this.#tokens)}-${'a9f0'.repeat(24)}`;
    return this.contextToken;
  }

  /** @returns why the server refuses; undefined when it shows the message */
  receive(message: Json, id: string): { readonly ret: number; readonly errmsg: string } | undefined {
    const items: unknown = message['item_list'];
    const item: unknown = Array.isArray(items) ? items[0] : undefined;
    if (!Array.isArray(items) || items.length !== 1 || !isRecord(item)) return { ret: -2, errmsg: 'invalid arguments' };
    if (this.left <= 0 || message['context_token'] === undefined) return { ret: -2, errmsg: 'prepare failed' };
    const shown = this.#read(item, String(message['client_id']), id);
    if (!shown) return { ret: -2, errmsg: 'invalid arguments' };
    this.left -= 1;
    this.shown.push(shown);
    return undefined;
  }

  #read(item: Json, clientId: string, id: string): Shown | undefined {
    const kind = KINDS.get(item['type']);
    const content: unknown = kind === undefined ? undefined : item[`${kind}_item`];
    if (kind === undefined || !isRecord(content)) return undefined;
    if (kind === 'text') {
      const { text } = content;
      if (typeof text !== 'string' || text === '' || Buffer.byteLength(text) > MAX_TEXT_BYTES) return undefined;
      return { kind, text, bytes: undefined, name: undefined, clientId, id };
    }
    const bytes = isRecord(content['media']) ? this.#cdn.open(content['media']) : undefined;
    if (kind === 'file' && content['len'] !== String(bytes?.length)) return undefined;
    const name = kind === 'file' ? String(content['file_name']) : undefined;
    return { kind, text: '', bytes, name, clientId, id };
  }
}
