import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import { sleep, type Clock, type Timer } from '../base/clock.js';
import { describeError, TargetRefusal, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ProxyError } from '../base/proxy/proxy-error.js';
import { StoreError } from '../store/store.js';
import { deadlineSignal } from '../base/deadline.js';
import type { BindingState } from './target.js';

/** Without a completed round trip for this long nothing may look connected, whatever the socket says. */
export const STALE_AFTER_MS = 150_000;
/** After waking, the network often comes back within seconds: for this long the wait between tries stays short. */
const WAKE_WINDOW_MS = 120_000;
const WAKE_MAX_DELAY_MS = 5_000;
/**
 * Longest wait while the network can't be reached at all, milliseconds: such a try costs nobody anything, and what comes back is
 * found within ten seconds, however long it was away. A network that answers badly is left alone for as long as its policy says.
 */
const UNREACHED_MAX_DELAY_MS = 8_000;
/** A pause for back-pressure shorter than this is not worth a change of state. */
const HOLD_NOTICE_MS = 1_000;
/** The first failures after a good time are a hiccup; from this one on the account counts as offline. */
const OFFLINE_FROM_FAILURE = 2;

const INTERNAL_ERROR = 'internal_error';

/** What a failed step means for the loop. */
export type StepFailure =
  /** Try again; `delayMs` overrides the back-off (the network said how long, or a rule of its own). `status` overrides the loop's own judgement. */
  | {
      readonly next: 'retry';
      readonly code: string;
      readonly delayMs?: number;
      readonly status?: 'degraded' | 'offline' | 'error';
    }
  /** Trying again is useless until somebody acts. */
  | { readonly next: 'stop'; readonly code: string; readonly status: 'expired' | 'revoked' | 'error' };

export interface PollLoopOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly backoff: BackoffPolicy;
  /** One step must end within this time, milliseconds; it is aborted otherwise. */
  readonly deadlineMs: number;
  /** Waits for room for what a step may bring; not under the deadline. */
  readonly ready?: (signal: AbortSignal) => Promise<void>;
  /** One round trip with the network: resolves when it is complete and what it brought is on disk. */
  readonly step: (signal: AbortSignal) => Promise<void>;
  /** Judges a failure; undefined leaves it to {@link judge}. `failures` counts this one. */
  readonly classify?: (error: unknown, failures: number) => StepFailure | undefined;
  readonly report: (state: BindingState) => void;
  /** Called before a step that follows a failure or a wake: take a fresh connection. */
  readonly renew?: () => void;
}

/** A loop of round trips that never ends by itself, and says truthfully how it stands. */
export interface PollLoop {
  /** Unix ms of the last completed step. */
  readonly lastRoundTripAt: number | undefined;
  readonly state: BindingState;
  /** Abandons the step in flight or the wait, and tries at once on a fresh connection. Nothing when the loop has stopped. */
  wake(): void;
  /** Aborts what is in flight and resolves when nothing runs any more. */
  stop(): Promise<void>;
}

class Woken extends Error {}
class Overdue extends Error {}

/**
 * Starts the loop of a polling network. `connected` is reported after a completed step only, and is taken back within
 * {@link STALE_AFTER_MS} of the last one.
 */
export function startPollLoop(options: PollLoopOptions): PollLoop {
  return new Loop(options);
}

class Loop implements PollLoop {
  readonly #options: PollLoopOptions;
  readonly #stopping = new AbortController();
  #inner = new AbortController();
  readonly #running: Promise<void>;
  /** The latest step; after a deadline it may outlive its turn for a moment. */
  #work: Promise<void> = Promise.resolve();
  #ended = false;
  #failures = 0;
  #wokenAt: number | undefined;
  #staleTimer: Timer | undefined;
  #state: BindingState;
  lastRoundTripAt: number | undefined;

  constructor(options: PollLoopOptions) {
    this.#options = options;
    this.#state = { status: 'offline', code: 'connecting', since: options.clock.now() };
    options.report(this.#state);
    this.#running = this.#run();
  }

  get state(): BindingState {
    return this.#state;
  }

  wake(): void {
    if (!this.#goesOn()) return;
    this.#wokenAt = this.#options.clock.monotonic();
    this.#failures = 0;
    this.#inner.abort(new Woken());
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('stopped'));
    this.#inner.abort(new Error('stopped'));
    this.#staleTimer?.cancel();
    await this.#running;
    await this.#work.catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (this.#goesOn()) {
      this.#inner = new AbortController();
      try {
        await this.#once(this.#inner.signal);
      } catch (error) {
        if (!this.#goesOn()) break;
        this.#options.renew?.();
        if (this.#inner.signal.reason instanceof Woken) continue;
        await this.#recover(error);
      }
    }
    this.#staleTimer?.cancel();
  }

  #goesOn(): boolean {
    return !this.#stopping.signal.aborted && !this.#ended;
  }

  async #once(signal: AbortSignal): Promise<void> {
    await this.#waitForRoom(signal);
    const { clock, deadlineMs, step } = this.#options;
    const bounded = deadlineSignal(clock, deadlineMs, signal);
    try {
      this.#work = step(bounded.signal);
      await untilAborted(this.#work, bounded.signal);
    } catch (error) {
      throw bounded.expired ? new Overdue() : error;
    } finally {
      bounded.done();
    }
    this.#failures = 0;
    this.lastRoundTripAt = clock.now();
    this.#set({ status: 'connected' });
    this.#watch();
  }

  async #waitForRoom(signal: AbortSignal): Promise<void> {
    const { clock, ready } = this.#options;
    if (!ready) return;
    const notice = clock.after(HOLD_NOTICE_MS, () => {
      this.#staleTimer?.cancel();
      this.#set({ status: 'degraded', code: 'backlog_full' });
    });
    try {
      await untilAborted(ready(signal), signal);
    } finally {
      notice.cancel();
    }
  }

  async #recover(error: unknown): Promise<void> {
    this.#failures += 1;
    const failure = this.#options.classify?.(error, this.#failures) ?? judge(error);
    if (failure.code === INTERNAL_ERROR)
      this.#options.log.error({ error: describeError(error) }, 'polling met a fault of its own');
    if (failure.next === 'stop') {
      this.#options.log.warn({ code: failure.code }, 'polling stopped until somebody acts');
      this.#set({ status: failure.status, code: failure.code });
      this.#ended = true;
      return;
    }
    const delay = failure.delayMs ?? this.#delay(error);
    const proxy = error instanceof ProxyError ? { proxy: error.proxy, answer: error.answer } : {};
    this.#options.log.info(
      { code: failure.code, failures: this.#failures, delayMs: delay, ...proxy },
      'polling failed',
    );
    this.#reportFailure(failure, delay);
    try {
      this.#inner = new AbortController();
      await sleep(this.#options.clock, delay, this.#inner.signal);
    } catch {
      // Woken: the next try is now. Stopped: the loop's condition ends it.
    }
  }

  #reportFailure(failure: Extract<StepFailure, { next: 'retry' }>, delay: number): void {
    const hiccup = this.#state.status === 'connected' || this.#state.status === 'degraded';
    const status = failure.status ?? (hiccup && this.#failures < OFFLINE_FROM_FAILURE ? 'degraded' : 'offline');
    const retryAt = this.#options.clock.now() + delay;
    this.#set(status === 'offline' ? { status, code: failure.code, retryAt } : { status, code: failure.code });
  }

  #delay(error: unknown): number {
    const { clock, backoff, random } = this.#options;
    const justWoken = this.#wokenAt !== undefined && clock.monotonic() - this.#wokenAt < WAKE_WINDOW_MS;
    const unreached = error instanceof TransportError && error.effect === 'none';
    const bounds = [
      backoff.maxMs,
      ...(unreached ? [UNREACHED_MAX_DELAY_MS] : []),
      ...(justWoken ? [WAKE_MAX_DELAY_MS] : []),
    ];
    const maxMs = Math.min(...bounds);
    return backoffDelay({ ...backoff, maxMs }, this.#failures, random);
  }

  /** Takes `connected` back when no round trip completes in time, though nothing has failed yet either. */
  #watch(): void {
    this.#staleTimer?.cancel();
    this.#staleTimer = this.#options.clock.after(STALE_AFTER_MS, () => {
      if (this.#state.status === 'connected' || this.#state.status === 'degraded') {
        this.#set({ status: 'offline', code: 'no_answer' });
      }
    });
  }

  #set(change: StateChange): void {
    const before = this.#state;
    const same = before.status === change.status && codeOf(before) === codeOf(change);
    // Each completed step says again that it is connected; nobody needs to be told.
    if (same && change.status === 'connected') return;
    this.#state = { ...change, since: same ? before.since : this.#options.clock.now() };
    this.#options.report(this.#state);
  }
}

type StateChange = BindingState extends infer S ? (S extends BindingState ? Omit<S, 'since'> : never) : never;

/** What a failure of one of the known families means, for networks without a rule of their own. */
function judge(error: unknown): StepFailure {
  if (error instanceof Overdue) return { next: 'retry', code: 'timeout' };
  if (error instanceof TransportError) return { next: 'retry', code: error.code };
  if (error instanceof StoreError) return { next: 'retry', code: `store_${error.code}`, status: 'degraded' };
  if (error instanceof TargetRefusal) {
    if (error.account === 'expired' || error.account === 'revoked') {
      return { next: 'stop', code: error.code, status: error.account };
    }
    const delay = error.retryAfterMs === undefined ? {} : { delayMs: error.retryAfterMs };
    return { next: 'retry', code: error.code, ...delay };
  }
  return { next: 'retry', code: INTERNAL_ERROR, status: 'error' };
}

function codeOf(state: { status: string; code?: string }): string | undefined {
  return state.code;
}

/** A step that ignores its signal must not hold the loop: its late end is of no interest. */
function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) {
      work.catch(() => undefined);
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
