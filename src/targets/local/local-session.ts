import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import type {
  Intake,
  OutboundMessage,
  OutboundPart,
  Receipt,
  RemoteAttachment,
  StreamCapable,
  TargetSession,
  TypingCapable,
} from '../target.js';
import type { LocalDraft, LocalFile, LocalMessage, LocalReading } from './chat.js';
import { Transcript } from './transcript.js';

/** Nothing is between us and the screen; faster than this nobody reads. */
const STREAM_INTERVAL_MS = 50;
/** The flag stays until it is cleared; the interval only bounds how long a repeat is owed. */
const TYPING_KEEP_ALIVE_MS = 60_000;

export const PERSON_ID = 'local-person';

/** One chat at work: the person's side writes and reads, the agent's side sends, streams and types. */
export class LocalSession implements TargetSession {
  readonly idempotentSends = true;
  readonly typing: TypingCapable;
  readonly stream: StreamCapable;
  readonly #transcript: Transcript;
  #lastRoundTripAt: number;

  constructor(
    private readonly options: {
      readonly accountId: string;
      readonly displayName: string;
      readonly intake: Intake;
      readonly clock: Clock;
      readonly changed: () => void;
      readonly closed: () => void;
    },
  ) {
    this.#transcript = new Transcript(options.intake, consumerOf(options.accountId));
    this.#lastRoundTripAt = options.clock.now();
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
      finish: (handle, part, key) => this.#deliver(part, key, handle),
    };
  }

  /** A key is forgotten with its message, when newer ones took its place; until then nothing is. */
  get idempotentForMs(): number | undefined {
    const since = this.#transcript.knownSince;
    return since === undefined ? undefined : Math.max(0, this.options.clock.now() - since);
  }

  get lastRoundTripAt(): number {
    return this.#lastRoundTripAt;
  }

  plan(message: OutboundMessage): readonly OutboundPart[] {
    const text: OutboundPart[] = message.text === '' ? [] : [{ kind: 'text', text: message.text }];
    return [...text, ...message.files.map((file): OutboundPart => ({ kind: 'file', file }))];
  }

  send(part: OutboundPart, key: string): Promise<Receipt> {
    return this.#deliver(part, key, newId('msg'));
  }

  /** The finished answer keeps the id under which it grew, so that it takes its place on the screen. */
  async #deliver(part: OutboundPart, key: string, messageId: string): Promise<Receipt> {
    const before = this.#transcript.messageOf(key);
    if (before !== undefined) return { messageId: before };
    const entry = this.#transcript.prepare(
      {
        messageId,
        from: 'agent',
        text: part.kind === 'text' ? part.text : (part.caption ?? ''),
        files: part.kind === 'file' ? [shownFile(part)] : [],
        at: this.options.clock.now(),
      },
      key,
    );
    try {
      await this.options.intake.commit({
        consumer: consumerOf(this.options.accountId),
        state: entry.state,
        messages: [],
      });
    } catch {
      // Nothing was shown and nothing was kept: the same part may be tried again.
      throw new TransportError('local_store_unavailable', 'the chat could not be written to disk', { effect: 'none' });
    }
    entry.show();
    this.#changed();
    return { messageId };
  }

  async fetch(attachment: RemoteAttachment): Promise<Readable> {
    const path = pathOf(attachment);
    try {
      const file = await open(path, 'r');
      return file.createReadStream();
    } catch {
      throw new TargetRefusal('file_gone', 'the file is no longer where the person chose it', { retryable: false });
    }
  }

  async close(): Promise<void> {
    this.options.closed();
  }

  // -------------------------------------------------------------- the person's side

  async write(draft: LocalDraft, signal: AbortSignal): Promise<LocalMessage> {
    const { accountId, intake, clock, displayName } = this.options;
    await intake.roomFor([accountId], signal);
    const at = clock.now();
    const messageId = newId('msg');
    const files = draft.files ?? [];
    const entry = this.#transcript.prepare({
      messageId,
      from: 'person',
      text: draft.text,
      files: files.map((file) => ({
        fileRef: undefined,
        fileType: file.fileType,
        filename: file.filename,
        byteSize: undefined,
      })),
      at,
    });
    await intake.commit({
      consumer: consumerOf(accountId),
      state: entry.state,
      messages: [
        {
          accountId,
          message: {
            id: messageId,
            text: draft.text,
            attachments: files.map(({ path, ...rest }) => ({ ...rest, locator: { path } })),
            sender: { id: PERSON_ID, name: displayName },
            conversation: { id: accountId, type: 'p2p' },
            sentAt: at,
          },
        },
      ],
    });
    const message = entry.show();
    this.#changed();
    return message;
  }

  read(cursor: number): LocalReading {
    return this.#transcript.read(cursor);
  }

  #setTyping(typing: boolean): void {
    if (this.#transcript.setTyping(typing)) this.#changed();
  }

  #grow(handle: string, text: string): void {
    this.#transcript.grow(handle, text, this.options.clock.now());
    this.#changed();
  }

  #changed(): void {
    this.#lastRoundTripAt = this.options.clock.now();
    this.options.changed();
  }
}

/** Under this name a chat keeps what must survive a restart. */
export function consumerOf(accountId: string): string {
  return `local/${accountId}`;
}

function shownFile(part: Extract<OutboundPart, { kind: 'file' }>): LocalFile {
  const { fileRef, fileType, filename, byteSize } = part.file;
  return { fileRef, fileType, filename, byteSize };
}

function pathOf(attachment: RemoteAttachment): string {
  const { locator } = attachment;
  if (typeof locator === 'object' && locator !== null && 'path' in locator && typeof locator['path'] === 'string') {
    return locator['path'];
  }
  throw new TargetRefusal('file_gone', 'the message names no file', { retryable: false });
}
