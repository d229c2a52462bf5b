import { mkdirSync } from 'node:fs';
import { createStream, type RotatingFileStream } from 'rotating-file-stream';
import type { Clock } from '../base/clock.js';
import { PRIVATE_DIR_MODE, PRIVATE_FILE_MODE } from '../store/private-mode.js';

/** One file's size; with {@link MAX_FILES} it bounds what logs take of the disk to about 50 MB. */
const MAX_SIZE = '10M';
const MAX_FILES = 5;
export const LOG_FILE = 'connector.log';
/** What an AgentServer answered, one JSON line per response, without what was said (E2A section 12.7). */
export const RESPONSE_LOG_FILE = 'agent-server.log';

/** After the disk refused a line, lines are dropped for this long before the file is tried again. */
const REOPEN_AFTER_MS = 30_000;

/** Lines waiting for a slow disk beyond this many bytes are dropped: the log never takes the memory of the program. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

/** A rotating log file that never throws: a full or missing disk costs lines, not the program (field report B36). */
export class LogFile {
  #stream: RotatingFileStream | undefined;
  #retryAt = 0;
  #dropped = 0;

  constructor(
    private readonly folder: string,
    private readonly clock: Clock,
    private readonly name = LOG_FILE,
  ) {}

  write(line: string): void {
    const stream = this.#open();
    if (stream === undefined || stream.writableLength > MAX_BUFFERED_BYTES) {
      this.#dropped += 1;
      return;
    }
    if (this.#dropped > 0) {
      stream.write(
        `${JSON.stringify({ level: 40, time: this.clock.now(), dropped: this.#dropped, msg: 'log lines were dropped' })}\n`,
      );
      this.#dropped = 0;
    }
    stream.write(line);
  }

  /** Resolves when what was written is with the system, or the disk has refused it. */
  close(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    this.#retryAt = Infinity;
    if (stream === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      stream.once('close', resolve);
      stream.once('error', () => resolve());
      stream.end(() => resolve());
    });
  }

  #open(): RotatingFileStream | undefined {
    if (this.#stream !== undefined) return this.#stream;
    if (this.clock.monotonic() < this.#retryAt) return undefined;
    try {
      mkdirSync(this.folder, { recursive: true, mode: PRIVATE_DIR_MODE });
      const stream = createStream(this.name, {
        path: this.folder,
        size: MAX_SIZE,
        maxFiles: MAX_FILES,
        mode: PRIVATE_FILE_MODE,
      });
      stream.on('error', () => this.#failed(stream));
      this.#stream = stream;
      return stream;
    } catch {
      this.#retryAt = this.clock.monotonic() + REOPEN_AFTER_MS;
      return undefined;
    }
  }

  #failed(stream: RotatingFileStream): void {
    if (this.#stream !== stream) return;
    this.#stream = undefined;
    this.#retryAt = this.clock.monotonic() + REOPEN_AFTER_MS;
    stream.destroy();
  }
}
