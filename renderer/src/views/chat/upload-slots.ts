/** The host takes no more uploads at once; more wait here and not at its door. */
const MAX_AT_ONCE = 4;

/** Lets a few tasks run at once and keeps the others waiting, in their order. */
export class UploadSlots {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Runs the task as soon as there is room for it. */
  async run<R>(task: () => Promise<R>): Promise<R> {
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      // The slot goes to the next one without being free in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
