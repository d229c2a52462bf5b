/** A cancellable timer of a {@link Clock}. */
export interface Timer {
  cancel(): void;
}

/**
 * Time as a port, so that tests can let hours pass at once.
 * Wall time is for what is stored, monotonic time for what runs: a change of the system clock must not fire or delay timers.
 */
export interface Clock {
  /** Wall time, Unix milliseconds. */
  now(): number;
  /** Milliseconds from an arbitrary origin; never goes backwards. */
  monotonic(): number;
  /** Calls `fn` once after `ms` milliseconds; an error it throws is the caller's. Timers don't keep the process alive. */
  after(ms: number, fn: () => void): Timer;
}

/** setTimeout's own ceiling (2^31 - 1 ms); a longer wait is a chain of these. */
const MAX_TIMEOUT_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
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
