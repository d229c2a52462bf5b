import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { FileStore, StoredFile } from '../../files/file-store.js';
import { LocalChatError, type LocalUpload } from './chat.js';

/** 128 bits, as every capability here. */
const TOKEN_BYTES = 16;
/** How long a file waits for the message it belongs to; a person who writes longer adds it again. Milliseconds. */
export const UPLOAD_TTL_MS = 3_600_000;
/** Files that wait in one chat; a message takes 16. The oldest goes. */
export const MAX_WAITING_UPLOADS = 64;

export interface UploadsParts {
  readonly files: FileStore;
  readonly cardId: string;
  /** How long a message may wait for an agent: its files are kept at least as long. Milliseconds. */
  readonly messageTtlMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Waiting {
  readonly accountId: string;
  readonly fileRef: string;
  readonly endsAt: number;
}

/** Files that were taken for messages and not given back. */
export interface TakenFiles {
  readonly files: readonly StoredFile[];
  /** The message was not stored: the person may send them again. */
  giveBack(): void;
}

/** Files that a person added and has not sent yet. Tokens live in memory; after a restart the file is added again. */
export class Uploads {
  readonly #waiting = new Map<string, Waiting>();

  constructor(private readonly parts: UploadsParts) {}

  /** @returns the token. @throws FileStoreError */
  async receive(accountId: string, source: LocalUpload, content: Readable, signal?: AbortSignal): Promise<string> {
    this.#forgetExpired();
    const { files, cardId, clock } = this.parts;
    const { fileRef } = await files.put({ ...source, cardId, accountId }, content, signal);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#waiting.set(token, { accountId, fileRef, endsAt: clock.monotonic() + UPLOAD_TTL_MS });
    const own = [...this.#waiting].filter(([, waiting]) => waiting.accountId === accountId);
    for (const [oldest] of own.slice(0, -MAX_WAITING_UPLOADS)) this.#drop(oldest);
    return token;
  }

  /**
   * Takes the files of a message that is about to be stored, and keeps them as long as that may wait: first the files, then
   * the message, so that a crash between the two leaves a file too long and never a message without its file.
   * @throws LocalChatError `unknown_file`; StoreError when the disk refuses. Nothing is taken then
   */
  async take(accountId: string, tokens: readonly string[]): Promise<TakenFiles> {
    this.#forgetExpired();
    const taken = new Map<string, Waiting>();
    const giveBack = (): void => taken.forEach((waiting, token) => this.#waiting.set(token, waiting));
    try {
      for (const token of tokens) {
        const waiting = this.#waiting.get(token);
        if (waiting?.accountId !== accountId) throw unknownFile();
        taken.set(token, waiting);
        this.#waiting.delete(token);
      }
      const refs = [...taken.values()].map(({ fileRef }) => fileRef);
      const { files, clock, messageTtlMs } = this.parts;
      if (refs.length > 0) await files.keepUntil(refs, clock.steady() + messageTtlMs);
      return { files: refs.map((fileRef) => this.#stored(fileRef)), giveBack };
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  #stored(fileRef: string): StoredFile {
    const file = this.parts.files.get(fileRef);
    if (file === undefined) throw unknownFile();
    return file;
  }

  /** Drops what nobody sent in time. */
  #forgetExpired(): void {
    const now = this.parts.clock.monotonic();
    for (const [token, { endsAt }] of this.#waiting) if (endsAt <= now) this.#drop(token);
  }

  #drop(token: string): void {
    const waiting = this.#waiting.get(token);
    this.#waiting.delete(token);
    if (waiting === undefined) return;
    const { files, log } = this.parts;
    // What can't be removed now goes when its own time is over.
    files
      .deleteFor({ fileRef: waiting.fileRef })
      .catch((error: unknown) =>
        log.info({ error: describeError(error) }, 'a file that was not sent was not removed yet'),
      );
  }
}

function unknownFile(): LocalChatError {
  return new LocalChatError('unknown_file', 'a file of this message is not there any more; add it again');
}
