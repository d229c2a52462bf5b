import type { Clock } from './clock.js';

/**
 * Waits for work that may hang, at most `ms` milliseconds; never rejects. What comes late is nobody's business any more.
 */
export function within(clock: Clock, ms: number, work: Promise<unknown>): Promise<'done' | 'failed' | 'late'> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve('late'));
    const settle = (outcome: 'done' | 'failed') => (): void => {
      timer.cancel();
      resolve(outcome);
    };
    work.then(settle('done'), settle('failed'));
  });
}
