import { uptime } from 'node:os';

/** A cancellable timer of a {@link Clock}. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as a port, so that tests can let hours pass at once.
 * Wall time is for people and for the wire, steady time for what is stored, monotonic time for what runs: a change of the system
 * clock must neither end nor keep anything, nor fire or delay timers.
 */
export interface Clock {
  /** Wall time, Unix milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin; never goes backwards. Some systems stop it while they sleep. */
  monotonic(): number;
  /**
   * Whole milliseconds since 1970 as they really passed, awake or asleep, from a moment at which wall time was believed: a system clock
   * that is set does not move it. Every time in the database is one of these; {@link wallTime} gives what people and agents are told.
   */
  steady(): number;
  /** Calls `fn` once after `ms` milliseconds; an error it throws is the caller's. Timers don't keep the process alive. */
  after(ms: number, fn: () => void): Timer;
}

/** setTimeout's own ceiling (2^31 - 1 ms); a longer wait is a chain of these. */
const MAX_TIMEOUT_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  steady: steadyTime(),
  after(ms, fn) {
    let handle: NodeJS.Timeout;
    const arm = (left: number): void => {
      const step = Math.min(Math.max(left, 0), MAX_TIMEOUT_MS);
      handle = setTimeout(() => {
        if (left > step) arm(left - step);
        else fn();
      }, step);
      handle.unref();
    };
    arm(ms);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** How often is asked how long the machine has been up, milliseconds: every time would cost more than what it is asked for. */
const UPTIME_ASKED_MS = 1_000;
/** A machine has slept when it was up this much longer than the monotonic clock ran, milliseconds: some tell whole seconds only. */
const SLEEP_MIN_MS = 2_000;

/** Wall time of this moment, going on with the monotonic clock, and over sleep with the time that the machine has been up. */
function steadyTime(): () => number {
  const began = { wall: Date.now(), monotonic: performance.now(), upMs: uptime() * 1_000 };
  let asleep = 0;
  let askedAt = began.monotonic;
  return () => {
    const monotonic = performance.now();
    const awake = monotonic - began.monotonic;
    if (monotonic - askedAt >= UPTIME_ASKED_MS) {
      askedAt = monotonic;
      const slept = uptime() * 1_000 - began.upMs - awake;
      if (slept - asleep >= SLEEP_MIN_MS) asleep = slept;
    }
    return Math.floor(began.wall + awake + asleep);
  };
}

/** Steady and wall time this close are one, milliseconds: they are read one after the other, and clocks are trimmed all the time. */
const SAME_TIME_MS = 1_000;

/** What the system clock would have shown at a steady time, had it been set then as it is now. Unix ms. */
export function wallTime(clock: Pick<Clock, 'now' | 'steady'>, steady: number): number {
  const ahead = clock.now() - clock.steady();
  return Math.abs(ahead) < SAME_TIME_MS ? steady : steady + ahead;
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(abortReason(signal));
      return;
    }
    const onAbort = (): void => {
      timer.cancel();
      reject(abortReason(signal));
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Why a signal was aborted, as an error to reject with. */
export function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted');
}
