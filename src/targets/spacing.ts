import { sleep, type Clock } from '../base/clock.js';

/** Keys that were not used for this many intervals are forgotten. */
const FORGET_AFTER_INTERVALS = 8;
/** Forgetting is considered once this many keys are known, so that the common case never scans. */
const SCAN_ABOVE_KEYS = 64;

/**
 * Keeps calls of one key (a conversation, a bot) apart by a least interval, in the order they asked.
 * Networks limit how often one conversation may be written to; waiting here is cheaper than being refused there.
 */
export class Spacing {
  readonly #clock: Clock;
  /** Monotonic time at which the next call of a key may go. */
  readonly #next = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when it is this caller's turn.
   * @param intervalMs least time to the next turn of the same key, milliseconds
   * @throws the signal's reason when aborted first; the slot is then left unused
   */
  async turn(key: string, intervalMs: number, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    const at = Math.max(now, this.#next.get(key) ?? now);
    this.#next.set(key, at + intervalMs);
    this.#forgetOld(now, intervalMs);
    if (at > now || signal?.aborted) await sleep(this.#clock, at - now, signal);
  }

  /** The network asked for silence: no turn of this key before `ms` milliseconds from now. */
  hold(key: string, ms: number): void {
    const until = this.#clock.monotonic() + ms;
    if (until > (this.#next.get(key) ?? 0)) this.#next.set(key, until);
  }

  #forgetOld(now: number, intervalMs: number): void {
    if (this.#next.size <= SCAN_ABOVE_KEYS) return;
    for (const [key, next] of this.#next) {
      if (next + intervalMs * FORGET_AFTER_INTERVALS < now) this.#next.delete(key);
    }
  }
}
