import type { Readable } from 'node:stream';
import { errorCode } from '../base/error-code.js';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Logger } from '../base/logger.js';
import { StoreError, type Sql, type Store } from '../store/index.js';
import { Blobs } from './blobs.js';
import { Budget, type Reservation } from './budget.js';
import {
  allFiles,
  deleteExpired,
  deleteFile,
  deleteOfAccount,
  deleteOfChannel,
  findFile,
  hasExpired,
  insertFile,
  postponeExpiry,
  usage,
  type RemovedRow,
} from './file-rows.js';
import { FileStoreError, type FileOwner, type FileSource, type FileStore, type StoredFile } from './file-store.js';
import { cleanFilename } from './filename.js';
import { decideMediaType } from './media-type.js';
import { receive } from './receive.js';

/** The `files` keys of the configuration. */
export interface FileStoreOptions {
  /** Bytes of one file at most. */
  readonly maxUploadBytes: number;
  /** Milliseconds a file is kept. */
  readonly ttlMs: number;
  /** Bytes of all files together at most, those on their way in included. */
  readonly maxTotalBytes: number;
}

/** Files kept at most: bounds what a flood of tiny files, for which no byte limit helps, takes in rows and inodes. */
export const MAX_FILES = 50_000;

/** Milliseconds between two sweeps at most; with a short `ttlMs` they come twice in its time. */
export const MAX_SWEEP_INTERVAL_MS = 600_000;

/** One incoming file: what has to be let be while it is not yet on the books, and ended when the store closes. */
interface Incoming {
  readonly content: Readable;
  readonly temporary: string;
  readonly name: string;
}

/** The file is durable before its row, the row is gone before its file: a crash leaves at most a file nobody knows, which the sweep removes. */
export class DiskFileStore implements FileStore {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #options: FileStoreOptions;
  readonly #blobs: Blobs;
  readonly #budget: Budget;
  readonly #incoming = new Set<Incoming>();
  readonly #puts = new Set<Promise<unknown>>();
  #sweeping: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #closed = false;

  constructor(parts: { store: Store; root: string; clock: Clock; log: Logger; options: FileStoreOptions }) {
    this.#store = parts.store;
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.#options = parts.options;
    this.#blobs = new Blobs(parts.root);
    this.#budget = new Budget({ bytes: parts.options.maxTotalBytes, files: MAX_FILES }, usage(parts.store.sql));
    this.#sweepForEver();
  }

  put(source: FileSource, content: Readable, signal?: AbortSignal): Promise<StoredFile> {
    // The reading loop sees every error; this only keeps one that comes while nobody reads from ending the process.
    content.on('error', () => undefined);
    const onAbort = (): void => void content.destroy(aborted());
    signal?.addEventListener('abort', onAbort, { once: true });
    const put = this.#put(source, content, signal)
      .catch((error: unknown) => {
        content.destroy();
        throw signal?.aborted ? aborted() : toFileStoreError(error);
      })
      .finally(() => {
        signal?.removeEventListener('abort', onAbort);
        this.#puts.delete(put);
      });
    this.#puts.add(put);
    return put;
  }

  get(fileRef: string): StoredFile | undefined {
    const file = findFile(this.#store.sql, fileRef, this.#clock.steady());
    return file && { ...file, path: this.#blobs.pathOf(fileRef) };
  }

  async keepUntil(fileRefs: readonly string[], until: number): Promise<void> {
    const now = this.#clock.steady();
    await this.#store.write((sql) => {
      for (const fileRef of fileRefs) postponeExpiry(sql, fileRef, now, until);
    });
  }

  async deleteFor(owner: FileOwner): Promise<void> {
    await this.#remove((sql) => {
      if ('channelId' in owner) return deleteOfChannel(sql, owner.channelId);
      return 'accountId' in owner ? deleteOfAccount(sql, owner.accountId) : deleteFile(sql, owner.fileRef);
    });
  }

  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.catch(() => undefined).then(() => this.#sweep());
    return this.#sweeping;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    for (const { content } of this.#incoming) content.destroy(aborted());
    await Promise.allSettled([...this.#puts, this.#sweeping]);
  }

  async #put(source: FileSource, content: Readable, signal: AbortSignal | undefined): Promise<StoredFile> {
    if (this.#closed || signal?.aborted) throw aborted();
    await this.#makeRoom();
    const reservation = this.#budget.open();
    if (!reservation) throw quota();
    const fileRef = newId('file');
    const incoming: Incoming = { content, temporary: this.#blobs.temporaryPath(), name: Blobs.nameOf(fileRef) };
    this.#incoming.add(incoming);
    try {
      return await this.#take(source, fileRef, incoming, reservation, signal);
    } catch (error) {
      reservation.cancel();
      await this.#blobs.discard(incoming.temporary);
      await this.#blobs.remove(incoming.name);
      throw error;
    } finally {
      this.#incoming.delete(incoming);
    }
  }

  /** No file is refused for those that nobody can fetch any more: the sweep that removes them may be minutes away. */
  async #makeRoom(): Promise<void> {
    if (this.#budget.hasRoomFor(this.#options.maxUploadBytes)) return;
    const now = this.#clock.steady();
    if (hasExpired(this.#store.sql, now)) await this.#remove((sql) => deleteExpired(sql, now));
  }

  async #take(
    source: FileSource,
    fileRef: string,
    incoming: Incoming,
    reservation: Reservation,
    signal: AbortSignal | undefined,
  ): Promise<StoredFile> {
    await this.#blobs.prepare();
    let size = 0;
    const received = await receive(incoming.content, incoming.temporary, (bytes) => {
      size += bytes;
      if (size > this.#options.maxUploadBytes) throw new FileStoreError('too_large', 'the file is larger than allowed');
      if (!reservation.grow(bytes)) throw quota();
    });
    if (this.#closed || signal?.aborted) throw aborted();
    const { mimeType, fileType } = decideMediaType(received.head, source.mimeType, source.filename);
    const createdAt = this.#clock.steady();
    const file = {
      fileRef,
      cardId: source.cardId,
      channelId: source.channelId,
      accountId: source.accountId,
      fileType,
      filename: cleanFilename(source.filename, mimeType, fileType),
      mimeType,
      byteSize: received.byteSize,
      sha256: received.sha256,
      createdAt,
      expiresAt: createdAt + this.#options.ttlMs,
    };
    await this.#blobs.adopt(incoming.temporary, fileRef);
    await this.#store.write((sql) => insertFile(sql, file));
    return { ...file, path: this.#blobs.pathOf(fileRef) };
  }

  #sweepForEver(): void {
    void this.sweep()
      .catch((error: unknown) =>
        this.#log.warn({ error: describeError(error) }, 'old files could not be removed; trying again later'),
      )
      .then(() => {
        if (this.#closed) return;
        const interval = Math.min(this.#options.ttlMs / 2, MAX_SWEEP_INTERVAL_MS);
        this.#timer = this.#clock.after(interval, () => this.#sweepForEver());
      });
  }

  async #sweep(): Promise<void> {
    if (this.#closed) return;
    const now = this.#clock.steady();
    const expired = await this.#remove((sql) => deleteExpired(sql, now));
    const halfReceived = await this.#blobs.sweepTemporaries((file) => this.#isIncoming({ temporary: file }));
    const names = await this.#blobs.names();
    // In one turn and after the listing: a listed file is then on the books, or still coming in, or nobody's.
    const refs = new Map(allFiles(this.#store.sql).map((fileRef) => [Blobs.nameOf(fileRef), fileRef]));
    const orphans = names.filter((name) => !refs.delete(name) && !this.#isIncoming({ name }));
    let unknown = 0;
    for (const name of orphans) if (await this.#blobs.remove(name)) unknown += 1;
    const lost = await this.#removeLost(refs);
    if (expired + halfReceived + unknown > 0) {
      this.#log.info({ expired, half_received: halfReceived, unknown }, 'old files removed');
    }
    if (lost > 0) this.#log.warn({ code: 'files_lost', lost }, 'files on record were gone from the disk');
  }

  /** Takes rows off the books whose file is gone. `candidates` maps names to refs; some may just have arrived. */
  async #removeLost(candidates: ReadonlyMap<string, string>): Promise<number> {
    let lost = 0;
    for (const [name, fileRef] of candidates) {
      if (!(await this.#blobs.exists(name))) lost += await this.#remove((sql) => deleteFile(sql, fileRef));
    }
    return lost;
  }

  /** Deletes rows, then their files. @returns how many rows went */
  async #remove(deletion: (sql: Sql) => RemovedRow[]): Promise<number> {
    const rows = await this.#store.write(deletion);
    for (const row of rows) {
      this.#budget.free(row.byte_size);
      // One that can't be removed now is an orphan for a later sweep.
      await this.#blobs.remove(Blobs.nameOf(row.file_ref));
    }
    return rows.length;
  }

  #isIncoming(what: { temporary: string } | { name: string }): boolean {
    for (const incoming of this.#incoming) {
      if ('name' in what ? incoming.name === what.name : incoming.temporary === what.temporary) return true;
    }
    return false;
  }
}

function aborted(): FileStoreError {
  return new FileStoreError('aborted', 'the transfer was broken off');
}

function quota(): FileStoreError {
  return new FileStoreError('quota', 'there is no room for more files');
}

function toFileStoreError(error: unknown): unknown {
  if (error instanceof StoreError && error.code === 'disk_full') return quota();
  const code = errorCode(error);
  if (code === 'ENOSPC' || code === 'EDQUOT') return quota();
  if (code === 'ERR_STREAM_PREMATURE_CLOSE') return aborted();
  return error;
}
