import type { Clock } from '../base/clock.js';

/** Waits for `work`, but no longer than `ms` milliseconds; what it fails with is dropped. */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, resolve);
    const done = (): void => {
      timer.cancel();
      resolve();
    };
    work.then(done, done);
  });
}
