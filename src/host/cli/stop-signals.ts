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
}

/** Resolves at the first signal to stop. @param impatient called when another one comes while the program is stopping */
export function stopSignal(source: SignalSource, clock: Clock, impatient: () => void): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const onSignal = (): void => {
      if (askedAt === undefined) {
        askedAt = clock.monotonic();
        resolve();
      } else if (clock.monotonic() - askedAt >= IMPATIENCE_AFTER_MS) {
        impatient();
      }
    };
    for (const signal of STOP_SIGNALS) source.on(signal, onSignal);
  });
}
