import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { StoreError } from '../store/index.js';

/** A full disk is freed by a person, in minutes rather than seconds. */
const RETRY: BackoffPolicy = { initialMs: 1_000, maxMs: 30_000 };

interface Entry {
  readonly write: () => Promise<void>;
  readonly done: () => void;
}

/**
 * Writes that record what has already happened, such as an acknowledgment. They need not be waited for, because losing
 * one in a crash means one redelivery under the same id; but while the program runs they are repeated until the disk takes them.
 * Entries are independent of each other, so their order does not matter.
 */
export class WriteBehind {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #running = new Set<Promise<void>>();
  #refused: Entry[] = [];
  #failures = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(deps: { clock: Clock; log: Logger; random: () => number }) {
    this.#clock = deps.clock;
    this.#log = deps.log;
    this.#random = deps.random;
  }

  /** Resolves when the write is on disk, or given up because the store is closed. Never rejects. */
  run(write: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#attempt({ write, done: resolve });
    });
  }

  /** Resolves when every write under way has been answered; refused ones stay for later. */
  async flush(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Writes what is left once more; what the disk refuses now is lost with the process. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    this.#repeat();
    await this.flush();
  }

  #repeat(): void {
    this.#timer = undefined;
    const again = this.#refused;
    this.#refused = [];
    for (const entry of again) this.#attempt(entry);
  }

  #attempt(entry: Entry): void {
    const running = this.#write(entry);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  async #write(entry: Entry): Promise<void> {
    try {
      await entry.write();
      this.#failures = 0;
      entry.done();
    } catch (error) {
      if (error instanceof StoreError && error.code !== 'closed' && !this.#closed) {
        this.#refused.push(entry);
        this.#schedule(error.code);
      } else {
        // Not the disk: repeating can't help, and the row it was about is dealt with again after a restart.
        this.#log.error({ error: describeError(error) }, 'a record could not be written');
        entry.done();
      }
    }
  }

  #schedule(code: string): void {
    if (this.#timer) return;
    this.#failures += 1;
    const delay = backoffDelay(RETRY, this.#failures, this.#random);
    this.#log.warn({ code, waiting: this.#refused.length, retryInMs: delay }, 'the disk refused a record');
    this.#timer = this.#clock.after(delay, () => this.#repeat());
  }
}
