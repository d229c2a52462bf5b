import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../base/error-code.js';
import { syncDirectory } from '../store/atomic-file.js';
import { PRIVATE_DIR_MODE } from '../store/private-mode.js';

const BLOB_NAME = /^[0-9a-f]{64}$/;
const SHARD_NAME = /^[0-9a-f]{2}$/;

/**
 * The files on disk: `<root>/<first two digits>/<hash of the ref>`. Names come from the ref's hash, never from what a sender
 * said, and looking at the folder gives no ref away.
 */
export class Blobs {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  static nameOf(fileRef: string): string {
    return createHash('sha256').update(fileRef).digest('hex');
  }

  pathOf(fileRef: string): string {
    return this.#pathOfName(Blobs.nameOf(fileRef));
  }

  /** A path for a file that is still being received; `sweepTemporaries` knows it by its folder. */
  temporaryPath(): string {
    return path.join(this.#temporaries(), randomBytes(16).toString('hex'));
  }

  /** Makes sure there is a place to receive files in. */
  async prepare(): Promise<void> {
    await fs.mkdir(this.#temporaries(), { recursive: true, mode: PRIVATE_DIR_MODE });
  }

  /** Removes a half-received file if it is there. */
  async discard(temporary: string): Promise<void> {
    await removeFile(temporary);
  }

  /** Gives a received file its place, durably. */
  async adopt(temporary: string, fileRef: string): Promise<void> {
    const target = this.pathOf(fileRef);
    const shard = path.dirname(target);
    const created = await fs.mkdir(shard, { recursive: true, mode: PRIVATE_DIR_MODE });
    await fs.rename(temporary, target);
    await syncDirectory(shard);
    if (created !== undefined) await syncDirectory(this.#root);
  }

  /** Removes a file if it is there. @returns false when it can't be removed now (Windows: someone reads it) */
  async remove(name: string): Promise<boolean> {
    return removeFile(this.#pathOfName(name));
  }

  async exists(name: string): Promise<boolean> {
    return fs.access(this.#pathOfName(name)).then(
      () => true,
      () => false,
    );
  }

  /** The names of all files in their places. */
  async names(): Promise<string[]> {
    const found: string[] = [];
    for (const shard of await list(this.#root)) {
      if (!SHARD_NAME.test(shard)) continue;
      for (const name of await list(path.join(this.#root, shard))) {
        if (BLOB_NAME.test(name) && name.startsWith(shard)) found.push(name);
      }
    }
    return found;
  }

  /** Removes what an earlier run left half received. @returns how many files were removed */
  async sweepTemporaries(isInUse: (file: string) => boolean): Promise<number> {
    let removed = 0;
    for (const name of await list(this.#temporaries())) {
      const file = path.join(this.#temporaries(), name);
      if (!isInUse(file) && (await removeFile(file))) removed += 1;
    }
    return removed;
  }

  #temporaries(): string {
    return path.join(this.#root, 'incoming');
  }

  #pathOfName(name: string): string {
    return path.join(this.#root, name.slice(0, 2), name);
  }
}

async function removeFile(file: string): Promise<boolean> {
  try {
    await fs.rm(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

async function list(folder: string): Promise<string[]> {
  try {
    return await fs.readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
