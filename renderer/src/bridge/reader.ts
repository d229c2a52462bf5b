/** What a command answered last, and why the latest try was refused. */
export interface Told<R> {
  /** Undefined until the first answer; kept while the next one is on its way or was refused. */
  readonly value: R | undefined;
  /** Unix ms at which {@link value} came. */
  readonly at: number | undefined;
  /** Why the latest try failed; undefined once one succeeded. */
  readonly refusal: unknown;
  readonly busy: boolean;
}

export const NOTHING_TOLD: Told<never> = { value: undefined, at: undefined, refusal: undefined, busy: true };

/**
 * Reads one at a time. What is asked for while a reading runs is one more reading after it, so that a busy host is asked no
 * faster than it answers, and an older answer never takes the place of a newer one.
 */
export class Reader<R> {
  readonly #tell: (told: Told<R>) => void;
  #told: Told<R> = NOTHING_TOLD;
  #running = false;
  #next: ((before: R | undefined) => Promise<R>) | undefined;

  constructor(tell: (told: Told<R>) => void) {
    this.#tell = tell;
  }

  read(how: (before: R | undefined) => Promise<R>): void {
    this.#next = how;
    if (!this.#running) void this.#drain();
  }

  async #drain(): Promise<void> {
    this.#running = true;
    for (let how = this.#take(); how !== undefined; how = this.#take()) {
      this.#show({ ...this.#told, busy: true });
      try {
        this.#show({ value: await how(this.#told.value), at: Date.now(), refusal: undefined, busy: false });
      } catch (error) {
        this.#show({ ...this.#told, refusal: error, busy: false });
      }
    }
    this.#running = false;
  }

  #take(): ((before: R | undefined) => Promise<R>) | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next;
  }

  #show(told: Told<R>): void {
    this.#told = told;
    this.#tell(told);
  }
}
