import type { Clock } from '../../base/clock.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * What comes sooner after the first signal is that signal again: a terminal gives Ctrl-C to every process of its group at once,
 * and npm and our own start script pass it on as well. A person who has lost patience needs longer. Milliseconds.
 */
const IMPATIENCE_AFTER_MS = 1_000;

/** The part of `process` that is needed. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: () => void): unknown;
}

/**
 * The signals that stop the program. An entry makes it and listens before anything that takes time: until then a signal ends the
 * process as it ends any other, and not with the exit code of a program that was told to stop.
 */
export class StopSignals {
  /** Resolves at the first one. */
  readonly asked: Promise<void>;
  readonly #source: SignalSource;
  readonly #onSignal: () => void;
  #isAsked = false;

  /** @param impatient called when another one comes while the program is stopping */
  constructor(source: SignalSource, clock: Clock, impatient: () => void) {
    this.#source = source;
    let resolve = (): void => undefined;
    this.asked = new Promise((done) => (resolve = done));
    let askedAt = 0;
    this.#onSignal = () => {
      if (!this.#isAsked) {
        this.#isAsked = true;
        askedAt = clock.monotonic();
        resolve();
      } else if (clock.monotonic() - askedAt >= IMPATIENCE_AFTER_MS) {
        impatient();
      }
    };
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Listens; once more where somebody else of this process may have taken the signals over. */
  listen(): void {
    for (const signal of STOP_SIGNALS) {
      this.#source.removeListener(signal, this.#onSignal);
      this.#source.on(signal, this.#onSignal);
    }
  }
}
