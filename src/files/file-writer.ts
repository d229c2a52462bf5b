import type { FileHandle } from 'node:fs/promises';

/** Pieces are written this many bytes at a time: one call of the system for sixteen pieces of a socket. */
const BATCH_BYTES = 1024 * 1024;
/** So much may be written before the disk is asked to have it: the end then waits for the last of it only. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;

/**
 * Writes a file from its beginning while more of it arrives: one batch is on its way to the system, the next is gathered, and
 * the disk works on what came before. At most two batches are held.
 */
export class FileWriter {
  readonly #handle: FileHandle;
  #batch: Buffer[] = [];
  #batchBytes = 0;
  #unsynced = 0;
  #writing: Promise<void> = Promise.resolve();
  #syncing: Promise<void> | undefined;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Resolves when there is room for more. @throws what the system said to an earlier piece or to this one */
  async write(piece: Buffer): Promise<void> {
    this.#batch.push(piece);
    this.#batchBytes += piece.length;
    if (this.#batchBytes < BATCH_BYTES) return;
    await this.#writing;
    this.#begin();
  }

  /** Everything written is on the disk. */
  async finish(): Promise<void> {
    await this.#writing;
    this.#begin();
    await this.settle();
    await this.#handle.sync();
  }

  /** Nothing is under way any more, whatever became of it; the file may be closed. Rejects with what failed. */
  async settle(): Promise<void> {
    await Promise.all([this.#writing, this.#syncing]);
  }

  #begin(): void {
    const batch = this.#batch;
    this.#unsynced += this.#batchBytes;
    this.#batch = [];
    this.#batchBytes = 0;
    this.#writing = writeAll(this.#handle, batch).then(() => this.#syncNowAndThen());
    // Heard of by the next call.
    this.#writing.catch(() => undefined);
  }

  #syncNowAndThen(): void {
    if (this.#unsynced < SYNC_EVERY_BYTES || this.#syncing) return;
    this.#unsynced = 0;
    this.#syncing = this.#handle.datasync().finally(() => (this.#syncing = undefined));
    // The last sync meets the same disk, and its answer is the one that counts.
    this.#syncing.catch(() => undefined);
  }
}

async function writeAll(handle: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  for (let left = pieces; left.length > 0;) left = after(left, (await handle.writev(left)).bytesWritten);
}

/** What of the pieces was not among the first `bytes`: a system may take less than it is given. */
function after(pieces: readonly Buffer[], bytes: number): readonly Buffer[] {
  let taken = bytes;
  const rest: Buffer[] = [];
  for (const piece of pieces) {
    if (taken < piece.length) rest.push(piece.subarray(taken));
    taken = Math.max(0, taken - piece.length);
  }
  return rest;
}
