import type { Clock } from './clock.js';

/** Why a signal aborted whose time was over. */
export class DeadlineExpired extends Error {
  override readonly name = 'DeadlineExpired';
}

/** A signal that follows another one and a deadline; `done` releases both and must always be called. */
export interface DeadlineSignal {
  readonly signal: AbortSignal;
  /** Whether the deadline, not the outer signal, ended it. */
  readonly expired: boolean;
  done(): void;
}

/**
 * Joins a caller's signal with a deadline on the injected clock. `AbortSignal.any` and `AbortSignal.timeout` would do the same
 * on newer runtimes, but not on a clock of our own; and a timeout of the platform lives until it is over, however soon its caller
 * is done.
 * @param ms milliseconds until the signal aborts by itself
 */
export function deadlineSignal(clock: Clock, ms: number, outer?: AbortSignal): DeadlineSignal {
  const controller = new AbortController();
  let expired = false;
  const follow = (): void => controller.abort(outer?.reason);
  const timer = clock.after(ms, () => {
    expired = true;
    controller.abort(new DeadlineExpired('the time is over'));
  });
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    done: () => {
      timer.cancel();
      outer?.removeEventListener('abort', follow);
    },
  };
}
