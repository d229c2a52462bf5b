import type { DataPlaneLimits } from '../server-options.js';

/** Requests of one socket that run beside the ones that follow, counted so that a flood of them is held back at the socket. */
export class InFlight {
  readonly #limits: DataPlaneLimits;
  readonly #onFull: (full: boolean) => void;
  readonly #waiters: (() => void)[] = [];
  #count = 0;
  #bytes = 0;
  #full = false;

  /** @param onFull called with true when a limit is passed, with false once half of it is free again */
  constructor(limits: DataPlaneLimits, onFull: (full: boolean) => void) {
    this.#limits = limits;
    this.#onFull = onFull;
  }

  /** Counts a request of `bytes` until `done` settles; `done` never rejects. */
  track(bytes: number, done: Promise<void>): void {
    this.#count += 1;
    this.#bytes += bytes;
    const { maxInFlight, maxInFlightBytes } = this.#limits;
    if (!this.#full && (this.#count >= maxInFlight || this.#bytes >= maxInFlightBytes)) {
      this.#full = true;
      this.#onFull(true);
    }
    void done.then(() => this.#finished(bytes));
  }

  /** Resolves when nothing runs. */
  idle(): Promise<void> {
    return this.#count === 0 ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve));
  }

  #finished(bytes: number): void {
    this.#count -= 1;
    this.#bytes -= bytes;
    const { maxInFlight, maxInFlightBytes } = this.#limits;
    if (this.#full && this.#count <= maxInFlight / 2 && this.#bytes <= maxInFlightBytes / 2) {
      this.#full = false;
      this.#onFull(false);
    }
    if (this.#count === 0) for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
