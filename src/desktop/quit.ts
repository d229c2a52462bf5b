import type { App } from 'electron';
import type { Clock } from '../base/clock.js';

/** The contract gives 5 s from the signal to the end; what has not stopped by then is cut. Milliseconds. */
export const QUIT_DEADLINE_MS = 4_700;

export interface QuitParts {
  readonly app: Pick<App, 'on' | 'exit' | 'quit'>;
  readonly clock: Clock;
  /** Stops accepting, finishes or parks what is in flight, flushes. */
  drain(): Promise<void>;
}

/** The one way out, whoever asks: menu, window, signal, session end. It drains first, and is out in time whatever hangs. */
export class Quit {
  readonly #parts: QuitParts;
  #draining: Promise<void> | undefined;
  #drained = false;

  constructor(parts: QuitParts) {
    this.#parts = parts;
    parts.app.on('before-quit', (event) => {
      if (this.#drained) return;
      event.preventDefault();
      this.begin(0);
    });
  }

  /** Drains, then ends with this exit code. */
  begin(code: number): void {
    void this.drain().then(() => this.#parts.app.exit(code));
  }

  /** Drains without ending: an installer ends us by itself. Within {@link QUIT_DEADLINE_MS}; never rejects. */
  drain(): Promise<void> {
    this.#draining ??= new Promise<void>((resolve) => {
      const late = this.#parts.clock.after(QUIT_DEADLINE_MS, resolve);
      void this.#parts
        .drain()
        .catch(() => undefined)
        .then(() => {
          late.cancel();
          resolve();
        });
    }).then(() => {
      this.#drained = true;
    });
    return this.#draining;
  }
}
