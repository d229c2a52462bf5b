import { Listeners } from './listeners.js';

/** Ages and countdowns move once a second; milliseconds. */
const TICK_MS = 1000;

/**
 * The one clock of the window: every age and countdown reads it, and it stands still while the window is hidden or nobody
 * looks at it.
 */
class WindowClock {
  readonly #listeners = new Listeners();
  #now = Date.now();
  #readers = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Unix ms, as of the last tick. */
  now = (): number => this.#now;

  subscribe = (fn: () => void): (() => void) => {
    if (this.#readers === 0) document.addEventListener('visibilitychange', this.#settle);
    this.#readers += 1;
    this.#settle();
    const end = this.#listeners.add(fn);
    return () => {
      end();
      this.#readers -= 1;
      if (this.#readers === 0) document.removeEventListener('visibilitychange', this.#settle);
      this.#settle();
    };
  };

  #settle = (): void => {
    const runs = this.#readers > 0 && !document.hidden;
    if (runs && this.#timer === undefined) {
      this.#tick();
      this.#timer = setInterval(this.#tick, TICK_MS);
    } else if (!runs) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  };

  #tick = (): void => {
    this.#now = Date.now();
    this.#listeners.call();
  };
}

export const windowClock = new WindowClock();
