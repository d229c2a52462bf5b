import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { OfferedMessage } from '../delivery/delivery.js';
import type { JsonObject } from '../e2a/index.js';
import type { FileStore } from '../files/file-store.js';
import { PRIVATE_DIR_MODE, PRIVATE_FILE_MODE } from '../store/private-mode.js';

/** Below the data directory: one folder per account, one per file in it. */
const FOLDER = 'agent-files';
/** Bits of a folder name that nobody can guess. */
const NAME_BYTES = 16;

export interface InboundFilesDeps {
  readonly files: Pick<FileStore, 'get'>;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** How long a copy is kept, milliseconds. */
  readonly ttlMs: number;
  /** Whether the server runs on this machine: only then a path means something to it. */
  readonly isLocal: boolean;
}

/**
 * What people send, where an AgentServer can read it: it takes files by path on its own machine, under their own names. It
 * gets copies, so that nothing it does with them touches the file store.
 */
export class InboundFiles {
  readonly #deps: InboundFilesDeps;
  readonly #root: string;
  /** Accounts that ended: what was being copied for one by then is not kept. */
  readonly #forgotten = new Set<string>();

  constructor(deps: InboundFilesDeps) {
    this.#deps = deps;
    this.#root = join(deps.dataDir, FOLDER);
  }

  /** The files of a message as `params.files`, and the names of those that can't be handed over. Never rejects. */
  async handOver(message: OfferedMessage): Promise<{ readonly given: JsonObject[]; readonly missing: string[] }> {
    const given: JsonObject[] = [];
    const missing: string[] = [];
    for (const item of message.files) {
      const path = await this.#copy(message.accountId, item.file_ref);
      if (path === undefined) missing.push(item.filename);
      else
        given.push({
          path,
          name: item.filename,
          size: item.byte_size,
          mime_type: item.mime_type,
          file_category: item.type,
        });
    }
    return { given, missing };
  }

  /** Removes copies that are too old. Never rejects. */
  async sweep(): Promise<void> {
    const oldest = this.#deps.clock.steady() - this.#deps.ttlMs;
    for (const account of await list(this.#root)) {
      for (const folder of await list(join(this.#root, account))) {
        const path = join(this.#root, account, folder);
        const made = await stat(path).catch(() => undefined);
        if (made && made.mtimeMs < oldest) await rm(path, { recursive: true, force: true }).catch(() => undefined);
      }
    }
  }

  async forget(accountId: string): Promise<void> {
    this.#forgotten.add(accountId);
    await rm(join(this.#root, accountId), { recursive: true, force: true }).catch(() => undefined);
  }

  async #copy(accountId: string, fileRef: string): Promise<string | undefined> {
    const file = this.#deps.files.get(fileRef);
    if (!file || !this.#deps.isLocal) return undefined;
    try {
      const folder = join(this.#root, accountId, randomBytes(NAME_BYTES).toString('hex'));
      await mkdir(folder, { recursive: true, mode: PRIVATE_DIR_MODE });
      // The store has cleaned the name: it is no path.
      const path = join(folder, file.filename);
      await copyFile(file.path, path);
      await chmod(path, PRIVATE_FILE_MODE);
      // The age it is removed by: not the file system's, which goes by the system clock.
      const made = this.#deps.clock.steady() / 1_000;
      await utimes(folder, made, made);
      if (!this.#forgotten.has(accountId)) return path;
      await this.forget(accountId);
      return undefined;
    } catch (error) {
      this.#deps.log.warn({ accountId, error: describeError(error) }, 'a file could not be copied for the agent');
      return undefined;
    }
  }
}

async function list(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
