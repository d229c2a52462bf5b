import type { Readable } from 'node:stream';
import { wallTime, type Clock } from '../../base/clock.js';
import { newId } from '../../base/ids.js';
import type { StoredFile } from '../../files/file-store.js';
import type {
  Intake,
  IntakeBatch,
  MessageFate,
  OutboundMessage,
  OutboundPart,
  Receipt,
  StreamCapable,
  TargetSession,
  TypingCapable,
} from '../target.js';
import type { LocalDraft, LocalFile, LocalMessage, LocalReading, LocalUpload } from './chat.js';
import { Transcript, type TranscriptEntry } from './transcript.js';
import type { TakenFiles, Uploads } from './uploads.js';

/** Nothing is between us and the screen; faster than this nobody reads. */
const STREAM_INTERVAL_MS = 50;
/** The flag stays until it is cleared; the interval only bounds how long a repeat is owed. */
const TYPING_KEEP_ALIVE_MS = 60_000;

const PERSON_ID = 'local-person';

/** One chat at work: the person's side writes and reads, the agent's side sends, streams and types. */
export class LocalSession implements TargetSession {
  readonly idempotentSends = true;
  readonly sendsByWriting = true;
  readonly typing: TypingCapable;
  readonly stream: StreamCapable;
  readonly #transcript: Transcript;

  constructor(
    private readonly options: {
      readonly accountId: string;
      readonly displayName: string;
      readonly intake: Intake;
      readonly uploads: Uploads;
      readonly clock: Clock;
      readonly changed: () => void;
      readonly closed: () => void;
    },
  ) {
    const { intake, accountId, clock } = options;
    const fateOf = (messageId: string): MessageFate => intake.fate(accountId, messageId);
    this.#transcript = new Transcript(intake, consumerOf(accountId), fateOf, clock.now());
    this.#writeDown(this.#transcript.unwritten());
    this.typing = {
      keepAliveMs: TYPING_KEEP_ALIVE_MS,
      show: async () => this.#setTyping(true),
      clear: async () => this.#setTyping(false),
    };
    this.stream = {
      minIntervalMs: STREAM_INTERVAL_MS,
      open: async (text) => {
        const handle = newId('msg');
        this.#grow(handle, text);
        return { handle, visible: false };
      },
      update: async (handle, text) => this.#grow(handle, text),
      finish: async (handle, part, key) => this.#receipt(part, key, handle),
      discard: (handle) => {
        if (this.#transcript.drop(handle)) this.#changed();
      },
    };
  }

  /** A key is forgotten with its message, when newer ones took its place; until then nothing is. */
  get idempotentForMs(): number | undefined {
    const since = this.#transcript.knownSince;
    return since === undefined ? undefined : Math.max(0, this.options.clock.now() - since);
  }

  /** The network is this program: it answers as long as somebody can ask. */
  get lastRoundTripAt(): number {
    return this.options.clock.now();
  }

  plan(message: OutboundMessage): readonly OutboundPart[] {
    const text: OutboundPart[] = message.text === '' ? [] : [{ kind: 'text', text: message.text }];
    return [...text, ...message.files.map((file): OutboundPart => ({ kind: 'file', file }))];
  }

  async send(part: OutboundPart, key: string): Promise<Receipt> {
    return this.#receipt(part, key, newId('msg'));
  }

  /** The finished answer keeps the id under which it grew, so that it takes its place on the screen. */
  #receipt(part: OutboundPart, key: string, messageId: string): Receipt {
    const before = this.#transcript.messageOf(key);
    if (before !== undefined) return { messageId: before };
    const { accountId, clock } = this.options;
    const entry = this.#transcript.prepare(
      {
        messageId,
        from: 'agent',
        text: part.kind === 'text' ? part.text : (part.caption ?? ''),
        files: part.kind === 'file' ? [this.#shown(part.file)] : [],
        at: clock.now(),
      },
      key,
    );
    const done = (): void => {
      entry.show();
      this.#changed();
    };
    const failed = (): void => entry.withdraw();
    return { messageId, write: { consumer: consumerOf(accountId), state: entry.state, done, failed } };
  }

  settled(messageId: string, fate: MessageFate): void {
    const state = this.#transcript.settle(messageId, fate);
    if (state === undefined) return;
    this.#writeDown(state);
    this.#changed();
  }

  async close(): Promise<void> {
    this.options.closed();
  }

  // -------------------------------------------------------------- the person's side

  /** Waits for room for a message and takes its files. */
  async makeReady(draft: LocalDraft, signal: AbortSignal): Promise<TakenFiles> {
    const { accountId, intake, uploads } = this.options;
    await intake.roomFor([accountId], signal);
    return uploads.take(accountId, draft.files ?? []);
  }

  async write(text: string, files: readonly StoredFile[]): Promise<LocalMessage> {
    const { accountId, intake, clock, displayName } = this.options;
    const at = clock.now();
    const messageId = newId('msg');
    const entry = this.#transcript.prepare({
      messageId,
      from: 'person',
      text,
      files: files.map((file) => this.#shown(file)),
      at,
    });
    const batch: IntakeBatch = {
      consumer: consumerOf(accountId),
      state: entry.state,
      messages: [
        {
          accountId,
          message: {
            id: messageId,
            text,
            attachments: files.map(({ fileRef, fileType, filename, mimeType, byteSize }) => ({
              fileRef,
              fileType,
              filename,
              mimeType,
              byteSize,
              locator: null,
            })),
            sender: { id: PERSON_ID, name: displayName },
            conversation: { id: accountId, type: 'p2p' },
            sentAt: at,
          },
        },
      ],
    };
    try {
      await intake.commit(batch);
    } catch (error) {
      entry.withdraw();
      throw error;
    }
    const message = entry.show();
    this.#changed();
    return message;
  }

  read(cursor: number): LocalReading {
    return this.#transcript.read(cursor);
  }

  upload(source: LocalUpload, content: Readable, signal?: AbortSignal): Promise<string> {
    return this.options.uploads.receive(this.options.accountId, source, content, signal);
  }

  has(fileRef: string): boolean {
    return this.#transcript.has(fileRef);
  }

  /** Best effort: delivery knows an ending for a week, and it is asked again whenever the chat is opened. */
  #writeDown(state: TranscriptEntry['state']): void {
    if (Object.keys(state).length === 0) return;
    const { accountId, intake } = this.options;
    intake.commit({ consumer: consumerOf(accountId), state, messages: [] }).catch(() => undefined);
  }

  #setTyping(typing: boolean): void {
    if (this.#transcript.setTyping(typing)) this.#changed();
  }

  #grow(handle: string, text: string): void {
    this.#transcript.grow(handle, text, this.options.clock.now());
    this.#changed();
  }

  #shown({ fileRef, fileType, filename, byteSize, expiresAt }: StoredFile): LocalFile {
    return { fileRef, fileType, filename, byteSize, expiresAt: wallTime(this.options.clock, expiresAt) };
  }

  #changed(): void {
    this.options.changed();
  }
}

/** Under this name a chat keeps what must survive a restart. */
export function consumerOf(accountId: string): string {
  return `local/${accountId}`;
}
