import type { Clock, Timer } from './clock.js';

/**
 * Keeps one reader up to date without ever queueing for it: it is told at most once per interval, and only after it took what
 * it was told last. What changes meanwhile is told together.
 */
export class Paced {
  #due = false;
  #telling = false;
  #stopped = false;
  #pause: Timer | undefined;

  /** @param tell resolves when the reader took it; a rejection ends nothing, the reader's own end does */
  constructor(
    private readonly clock: Clock,
    private readonly intervalMs: number,
    private readonly tell: () => Promise<void>,
  ) {}

  /** There is something to tell. */
  request(): void {
    this.#due = true;
    this.#next();
  }

  /** The reader is gone. */
  stop(): void {
    this.#stopped = true;
    this.#pause?.cancel();
  }

  #next(): void {
    if (!this.#due || this.#telling || this.#pause !== undefined || this.#stopped) return;
    this.#due = false;
    this.#telling = true;
    this.#pause = this.clock.after(this.intervalMs, () => {
      this.#pause = undefined;
      this.#next();
    });
    const told = (): void => {
      this.#telling = false;
      this.#next();
    };
    this.tell().then(told, told);
  }
}
