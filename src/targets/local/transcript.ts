import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { FileType } from '../../protocol/payloads.js';
import type { Intake } from '../target.js';
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
      fileRef: Type.Optional(Type.String()),
      fileType: FileType,
      filename: Type.Optional(Type.String()),
      byteSize: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  at: Type.Integer(),
});
type StoredMessage = Static<typeof StoredMessage>;
const isStored = Compile(StoredMessage);

/** A change of the transcript's durable half, to be written in the caller's own transaction. */
export interface TranscriptEntry {
  readonly state: Readonly<Record<string, string>>;
  /** Shows the message; call it once `state` is on disk. */
  show(): LocalMessage;
}

interface Shown {
  readonly revision: number;
  readonly message: LocalMessage;
}

/**
 * One chat as the person sees it: the last messages, on disk as a ring of slots, and unfinished answers in memory.
 * A slot holds message and send key together, so a message is shown exactly as often as its key is known: once.
 */
export class Transcript {
  readonly #shown = new Map<string, Shown>();
  readonly #byKey = new Map<string, string>();
  readonly #growing = new Map<string, LocalMessage>();
  #nextIndex = 0;
  #revision = 0;
  #typing = false;

  constructor(intake: Intake, consumer: string) {
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
    if (this.#nextIndex <= KEPT_MESSAGES) return undefined;
    const [oldest] = this.#shown.values();
    return oldest?.message.at;
  }

  /** Prepares a message; takes its place in the order now. */
  prepare(message: Omit<LocalMessage, 'growing'>, key?: string): TranscriptEntry {
    const stored: StoredMessage = {
      index: this.#nextIndex,
      ...(key === undefined ? {} : { key }),
      messageId: message.messageId,
      from: message.from,
      text: message.text,
      files: message.files.map(({ fileRef, fileType, filename, byteSize }) => ({
        fileType,
        ...(fileRef === undefined ? {} : { fileRef }),
        ...(filename === undefined ? {} : { filename }),
        ...(byteSize === undefined ? {} : { byteSize }),
      })),
      at: message.at,
    };
    this.#nextIndex += 1;
    return {
      state: { [slotKey(stored.index % KEPT_MESSAGES)]: JSON.stringify(stored) },
      show: () => this.#show(stored),
    };
  }

  /** Shows or replaces an unfinished answer. */
  grow(handle: string, text: string, at: number): void {
    const since = this.#growing.get(handle)?.at ?? at;
    this.#growing.set(handle, { messageId: handle, from: 'agent', text, files: [], at: since, growing: true });
    this.#revision += 1;
    for (const oldest of this.#growing.keys()) {
      if (this.#growing.size <= MAX_GROWING) break;
      this.#growing.delete(oldest);
    }
  }

  /** @returns whether that changed anything */
  setTyping(typing: boolean): boolean {
    const changed = this.#typing !== typing;
    this.#typing = typing;
    return changed;
  }

  read(cursor: number): LocalReading {
    const messages: LocalMessage[] = [];
    for (const { revision, message } of this.#shown.values()) if (revision > cursor) messages.push(message);
    messages.push(...this.#growing.values());
    return { messages, cursor: this.#revision, typing: this.#typing };
  }

  #show(stored: StoredMessage): LocalMessage {
    const message: LocalMessage = {
      messageId: stored.messageId,
      from: stored.from,
      text: stored.text,
      files: stored.files.map((file) => ({
        fileRef: file.fileRef,
        fileType: file.fileType,
        filename: file.filename,
        byteSize: file.byteSize,
      })),
      at: stored.at,
      growing: false,
    };
    this.#growing.delete(message.messageId);
    this.#revision += 1;
    this.#shown.set(message.messageId, { revision: this.#revision, message });
    if (stored.key !== undefined) this.#byKey.set(stored.key, message.messageId);
    this.#nextIndex = Math.max(this.#nextIndex, stored.index + 1);
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

function slotKey(slot: number): string {
  return `message.${slot}`;
}

function parseStored(text: string): StoredMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStored.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
