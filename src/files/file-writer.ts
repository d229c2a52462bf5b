import type { FileHandle } from 'node:fs/promises';

/** Gathered at most while a write is under way: many pieces of a socket then cost one call of the system. */
const GATHER_BYTES = 1024 * 1024;
/** So much is written before the disk is asked to have it: the end then waits for the last of it only. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;

/**
 * Writes a file from its beginning while more of it arrives: what comes during one write goes together with the next, and the
 * disk works on what came before.
 */
export class FileWriter {
  readonly #handle: FileHandle;
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #unsyncedBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #state: 'idle' | 'writing' | 'failed' = 'idle';
  #syncing: Promise<void> | undefined;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Resolves when there is room for more. @throws what the system said to an earlier piece */
  async write(piece: Buffer): Promise<void> {
    this.#gathered.push(piece);
    this.#gatheredBytes += piece.length;
    if (this.#state === 'idle') {
      this.#writing = this.#writeGathered();
      // Heard of at the next piece, or at the end.
      this.#writing.catch(() => undefined);
    }
    if (this.#state === 'failed' || this.#gatheredBytes >= GATHER_BYTES) await this.#writing;
  }

  /** Everything written is on the disk. @throws what the system said */
  async finish(): Promise<void> {
    await this.settle();
    await this.#handle.sync();
  }

  /** Nothing is under way any more, so that the file may be closed. @throws what the system said to a write */
  async settle(): Promise<void> {
    try {
      await this.#writing;
    } finally {
      // The last sync meets the same disk, and its answer is the one that counts.
      await this.#syncing?.catch(() => undefined);
    }
  }

  async #writeGathered(): Promise<void> {
    this.#state = 'writing';
    try {
      while (this.#gatheredBytes > 0) {
        const pieces = this.#gathered;
        this.#unsyncedBytes += this.#gatheredBytes;
        this.#gathered = [];
        this.#gatheredBytes = 0;
        await writeAll(this.#handle, pieces);
        this.#syncNowAndThen();
      }
      this.#state = 'idle';
    } catch (error) {
      this.#state = 'failed';
      throw error;
    }
  }

  #syncNowAndThen(): void {
    if (this.#unsyncedBytes < SYNC_EVERY_BYTES || this.#syncing) return;
    this.#unsyncedBytes = 0;
    this.#syncing = this.#handle.datasync().finally(() => (this.#syncing = undefined));
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
