import type { Clock, Timer } from '../base/clock.js';

/** Between two looks, milliseconds. At the start of a session the tray often comes after us; a shell that restarts takes it along. */
const LOOK_EVERY_MS = 15_000;
/** The same when the desktop gave no answer: it is busy, and will soon. */
const LOOK_AGAIN_MS = 2_000;

type Tray = 'shown' | 'none';

export interface TrayWatchParts {
  readonly clock: Clock;
  /** Whether the desktop shows tray icons right now; undefined when it gave no answer in time. Never rejects. */
  look(): Promise<boolean | undefined>;
  changed(tray: Tray): void;
}

/** Keeps an eye on whether the desktop has a tray, which may come and go while we run. */
export class TrayWatch {
  readonly #parts: TrayWatchParts;
  #tray: Tray = 'none';
  #answered = false;
  #timer: Timer | undefined;
  #stopped = false;
  #none: (() => void) | undefined;

  constructor(parts: TrayWatchParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.look();
    this.#lookLater();
  }

  /** Looks now; without an answer it is as it was. */
  async look(): Promise<Tray> {
    const found = await this.#parts.look();
    this.#answered = found !== undefined;
    const tray = found === undefined ? this.#tray : found ? 'shown' : 'none';
    if (tray !== this.#tray && !this.#stopped) {
      this.#tray = tray;
      this.#parts.changed(tray);
    }
    return tray;
  }

  /** Calls once, at the next regular look, if there is no tray then either: a session that is just starting gets the time to show one. */
  onNone(fn: () => void): void {
    this.#none = fn;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #lookLater(): void {
    const ms = this.#answered ? LOOK_EVERY_MS : LOOK_AGAIN_MS;
    this.#timer = this.#parts.clock.after(ms, () => {
      void this.look().then((tray) => {
        if (this.#stopped) return;
        if (tray === 'none' && this.#answered) this.#none?.();
        if (this.#answered) this.#none = undefined;
        this.#lookLater();
      });
    });
  }
}
