import type { Clock } from '../../base/clock.js';
import type { StepFailure } from '../supervisor.js';

/** After "another program polls": longer than its poll can last, so that the two do not knock each other out for ever. */
const CONFLICT_DELAY_MS = 35_000;
/** From this many conflicts on the other program is taken to stay: look again at most once a minute. */
const CONFLICTS_UNTIL_SLOW = 10;
const SLOW_CONFLICT_DELAY_MS = 60_000;
const CONFLICT_JITTER_MS = 10_000;
/** One or two conflicts happen when a program is restarted; then it is a takeover. */
const CONFLICTS_UNTIL_TAKEN_OVER = 3;
/** How an account stands of whose messages another program takes its share. */
export const TAKEN_OVER = 'taken_over';
/**
 * Without a conflict for this long the other program is gone: it is longer than the longest wait above and a poll behind it, for
 * the other program may be one like ours. Milliseconds.
 */
const QUIET_MS = 180_000;

/**
 * Another program polls the same bot: Telegram ends each poll for the other's. Of two programs that both go on, either has polls
 * that go through, between those that the other ends; so what tells that it is over is time, not a poll that went well.
 */
export class Conflicts {
  readonly #clock: Clock;
  readonly #random: () => number;
  #count = 0;
  /** Monotonic ms. */
  #lastAt = 0;
  #takenOverSince: number | undefined;

  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Since when the other program is there to stay, as far as was seen, and some of the messages are its; Unix ms. */
  get takenOverSince(): number | undefined {
    return this.#takenOverSince;
  }

  /** A poll went through. @returns whether this ended a takeover */
  passed(): boolean {
    if (this.#count === 0 || this.#clock.monotonic() - this.#lastAt < QUIET_MS) return false;
    const wasTakenOver = this.#takenOverSince !== undefined;
    this.#count = 0;
    this.#takenOverSince = undefined;
    return wasTakenOver;
  }

  another(): StepFailure {
    this.#count += 1;
    this.#lastAt = this.#clock.monotonic();
    const base = this.#count < CONFLICTS_UNTIL_SLOW ? CONFLICT_DELAY_MS : SLOW_CONFLICT_DELAY_MS;
    const delayMs = base + Math.round(CONFLICT_JITTER_MS * this.#random());
    if (this.#count < CONFLICTS_UNTIL_TAKEN_OVER)
      return { next: 'retry', code: 'conflict', delayMs, status: 'degraded' };
    this.#takenOverSince ??= this.#clock.now();
    return { next: 'retry', code: TAKEN_OVER, delayMs, status: 'offline' };
  }
}
