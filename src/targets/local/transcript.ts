import Type, { type Static } from 'typebox';
import { conforms } from '../../base/conforms.js';
import { parseJson } from '../../base/parse-json.js';
import { FileType } from '../../protocol/payloads.js';
import type { Intake, MessageFate } from '../target.js';
import type { LocalMessage, LocalReading } from './chat.js';

/** Messages kept per chat, on disk and in memory: about a screenful for each of the last days. */
export const KEPT_MESSAGES = 200;
/** Unfinished answers shown at once; one whose final never comes is dropped when it is the oldest. */
const MAX_GROWING = 8;

const StoredMessage = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  /** The send's key: the same part is never shown twice. Absent on what the person wrote. */
  key: Type.Optional(Type.String()),
  messageId: Type.String(),
  from: Type.Enum(['person', 'agent']),
  text: Type.String(),
  files: Type.Array(
    Type.Object({
      fileRef: Type.String(),
      fileType: FileType,
      filename: Type.String(),
      byteSize: Type.Integer({ minimum: 0 }),
      expiresAt: Type.Integer(),
    }),
  ),
  at: Type.Integer(),
  /** How the person's message ended, when that was not by delivery. */
  ended: Type.Optional(Type.Enum(['rejected', 'expired', 'evicted', 'discarded'])),
});
type StoredMessage = Static<typeof StoredMessage>;

/** A change of the transcript's durable half, to be written in the caller's own transaction. */
export interface TranscriptEntry {
  readonly state: Readonly<Record<string, string>>;
  /** Shows the message; call it once `state` is on disk. */
  show(): LocalMessage;
  /** Gives its place in the order back; call it when `state` won't be on disk. */
  withdraw(): void;
}

interface Shown {
  readonly revision: number;
  readonly message: LocalMessage;
  readonly stored: StoredMessage;
}

/** What a message is made of; the rest is the transcript's to say. */
export type NewMessage = Omit<LocalMessage, 'growing' | 'state'>;

/**
 * One chat as the person sees it: the last messages, on disk as a ring of slots, and unfinished answers in memory.
 * A slot holds message and send key together, so a message is shown exactly as often as its key is known: once.
 */
export class Transcript {
  readonly #shown = new Map<string, Shown>();
  readonly #byKey = new Map<string, string>();
  readonly #growing = new Map<string, LocalMessage>();
  /** One more than the greatest index that is shown. */
  #end = 0;
  /** The same of each message that is being written. */
  readonly #prepared = new Set<number>();
  /** Counts changes, on from the time of opening: whoever still has a cursor of an earlier opening reads everything anew. */
  #revision: number;
  #typing = false;

  /**
   * @param fate what became of a message of the person, by its id
   * @param openedAt Unix ms
   */
  constructor(
    intake: Pick<Intake, 'state'>,
    consumer: string,
    private readonly fate: (messageId: string) => MessageFate,
    openedAt: number,
  ) {
    this.#revision = openedAt;
    const stored: StoredMessage[] = [];
    for (let slot = 0; slot < KEPT_MESSAGES; slot += 1) {
      const text = intake.state(consumer, slotKey(slot));
      const message = text === undefined ? undefined : parseStored(text);
      if (message !== undefined) stored.push(message);
    }
    for (const message of stored.sort((a, b) => a.index - b.index)) this.#show(message);
  }

  /** The keys under which a chat is stored, for its deletion. */
  static readonly stateKeys: readonly string[] = Array.from({ length: KEPT_MESSAGES }, (_, slot) => slotKey(slot));

  /** The id of the message that this key brought, when it was shown before. */
  messageOf(key: string): string | undefined {
    return this.#byKey.get(key);
  }

  /** Time of the oldest message kept, Unix ms: keys of earlier ones are forgotten. Undefined while none is. */
  get knownSince(): number | undefined {
    if (this.#end <= KEPT_MESSAGES) return undefined;
    const [oldest] = this.#shown.values();
    return oldest?.message.at;
  }

  /** Each index that nothing was written under would keep an old message on disk, and with the ring's next turn cost a newer one. */
  get #nextIndex(): number {
    return Math.max(this.#end, ...this.#prepared);
  }

  /** Prepares a message; takes its place in the order now. */
  prepare(message: NewMessage, key?: string): TranscriptEntry {
    const index = this.#nextIndex;
    const stored: StoredMessage = {
      index,
      ...(key === undefined ? {} : { key }),
      messageId: message.messageId,
      from: message.from,
      text: message.text,
      files: [...message.files],
      at: message.at,
    };
    this.#prepared.add(index + 1);
    const withdraw = (): void => void this.#prepared.delete(index + 1);
    const show = (): LocalMessage => {
      withdraw();
      return this.#show(stored);
    };
    return { state: slotOf(stored), show, withdraw };
  }

  /**
   * The person's message ended.
   * @returns what to write down of it, if anything; undefined when it is not shown any more or nothing changed
   */
  settle(messageId: string, fate: MessageFate): TranscriptEntry['state'] | undefined {
    const shown = this.#shown.get(messageId);
    if (shown?.message.from !== 'person' || shown.message.state === fate) return undefined;
    const { ended: _former, ...rest } = shown.stored;
    // A message without a word about its end was delivered, so that the usual end costs no write.
    const isOnRecord = fate === 'waiting' || fate === 'delivered';
    const stored: StoredMessage = isOnRecord ? rest : { ...rest, ended: fate };
    this.#revision += 1;
    this.#shown.set(messageId, { revision: this.#revision, message: { ...shown.message, state: fate }, stored });
    // A message that takes its place is being written, ahead of what we would write there.
    const isTaken = stored.index + KEPT_MESSAGES < this.#nextIndex;
    return isOnRecord || isTaken ? {} : slotOf(stored);
  }

  /** Endings that delivery told before they were written down here, such as those of the last moment before a crash. */
  unwritten(): TranscriptEntry['state'] {
    const found: Record<string, string> = {};
    for (const { message, stored } of this.#shown.values()) {
      const { state } = message;
      if (state === undefined || state === 'waiting' || state === 'delivered' || stored.ended !== undefined) continue;
      Object.assign(found, slotOf({ ...stored, ended: state }));
    }
    return found;
  }

  /** Whether a message that is shown has this file. */
  has(fileRef: string): boolean {
    for (const { message } of this.#shown.values()) {
      if (message.files.some((file) => file.fileRef === fileRef)) return true;
    }
    return false;
  }

  /** Shows or replaces an unfinished answer. */
  grow(handle: string, text: string, at: number): void {
    const since = this.#growing.get(handle)?.at ?? at;
    const message = { messageId: handle, from: 'agent', text, files: [], at: since } as const;
    this.#growing.set(handle, { ...message, state: undefined, growing: true });
    this.#revision += 1;
    for (const oldest of this.#growing.keys()) {
      if (this.#growing.size <= MAX_GROWING) break;
      this.#growing.delete(oldest);
    }
  }

  /** Takes an unfinished answer away. @returns whether it was there */
  drop(handle: string): boolean {
    if (!this.#growing.delete(handle)) return false;
    this.#revision += 1;
    return true;
  }

  /** @returns whether that changed anything */
  setTyping(typing: boolean): boolean {
    const changed = this.#typing !== typing;
    this.#typing = typing;
    return changed;
  }

  read(cursor: number): LocalReading {
    // Beyond what was counted lies only a cursor from before the system's clock was set back.
    const after = cursor > this.#revision ? 0 : cursor;
    const messages: LocalMessage[] = [];
    for (const { revision, message } of this.#shown.values()) if (revision > after) messages.push(message);
    messages.push(...this.#growing.values());
    return { messages, cursor: this.#revision, typing: this.#typing };
  }

  #show(stored: StoredMessage): LocalMessage {
    const message: LocalMessage = {
      messageId: stored.messageId,
      from: stored.from,
      text: stored.text,
      files: stored.files,
      at: stored.at,
      state: stored.from === 'person' ? (stored.ended ?? this.fate(stored.messageId)) : undefined,
      growing: false,
    };
    this.#growing.delete(message.messageId);
    this.#revision += 1;
    this.#shown.set(message.messageId, { revision: this.#revision, message, stored });
    if (stored.key !== undefined) this.#byKey.set(stored.key, message.messageId);
    this.#end = Math.max(this.#end, stored.index + 1);
    this.#trim();
    return message;
  }

  #trim(): void {
    for (const oldest of this.#shown.keys()) {
      if (this.#shown.size <= KEPT_MESSAGES) break;
      this.#shown.delete(oldest);
    }
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= KEPT_MESSAGES) break;
      this.#byKey.delete(oldest);
    }
  }
}

function slotOf(stored: StoredMessage): TranscriptEntry['state'] {
  return { [slotKey(stored.index % KEPT_MESSAGES)]: JSON.stringify(stored) };
}

function slotKey(slot: number): string {
  return `message.${slot}`;
}

function parseStored(text: string): StoredMessage | undefined {
  const value = parseJson(text);
  return conforms(StoredMessage, value) ? value : undefined;
}
