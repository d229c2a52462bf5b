/** A line on which nothing was heard for so long is asked whether anybody is there; milliseconds. */
export const QUIET_MS = 20_000;
/** Who is asked answers within this, or is not there; milliseconds. */
export const ANSWER_MS = 10_000;

interface LineWatchParts {
  /** Asks the other end for anything at all. */
  ask(): void;
  /** Nobody answered. */
  dead(): void;
}

/**
 * Notices a line whose other end is gone, or stands still, though nobody closed it: the page would show for ever what it heard
 * last, as if it were so now. A browser answers the host's pings by itself and shows its page none of them, so the page asks.
 * Waits while nobody looks.
 */
export class LineWatch {
  readonly #parts: LineWatchParts;
  #asked = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: LineWatchParts) {
    this.#parts = parts;
    document.addEventListener('visibilitychange', this.#seen);
    this.heard();
  }

  /** Something came: somebody is there. */
  heard(): void {
    this.#asked = false;
    this.#arm(QUIET_MS);
  }

  end(): void {
    clearTimeout(this.#timer);
    document.removeEventListener('visibilitychange', this.#seen);
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = document.hidden ? undefined : setTimeout(() => this.#due(), ms);
  }

  #due(): void {
    if (this.#asked) {
      this.#parts.dead();
      return;
    }
    this.#asked = true;
    this.#arm(ANSWER_MS);
    this.#parts.ask();
  }

  /** What is shown may be old when somebody looks again: it is asked for at once. */
  readonly #seen = (): void => {
    clearTimeout(this.#timer);
    this.#asked = false;
    if (!document.hidden) this.#due();
  };
}
