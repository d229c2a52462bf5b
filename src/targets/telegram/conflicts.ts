import type { StepFailure } from '../supervisor.js';

/** After "another program polls": longer than its poll can last, so that the two do not knock each other out for ever. */
const CONFLICT_DELAY_MS = 35_000;
/** From this many conflicts on the other program is taken to stay: look again at most once a minute. */
const CONFLICTS_UNTIL_SLOW = 10;
const SLOW_CONFLICT_DELAY_MS = 60_000;
const CONFLICT_JITTER_MS = 10_000;
/** One or two conflicts happen when a program is restarted; then it is a takeover. */
const CONFLICTS_UNTIL_TAKEN_OVER = 3;

/** Another program polls the same bot: Telegram ends each poll for the other's. */
export class Conflicts {
  readonly #random: () => number;
  #inARow = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  over(): void {
    this.#inARow = 0;
  }

  another(): StepFailure {
    this.#inARow += 1;
    const base = this.#inARow < CONFLICTS_UNTIL_SLOW ? CONFLICT_DELAY_MS : SLOW_CONFLICT_DELAY_MS;
    const delayMs = base + Math.round(CONFLICT_JITTER_MS * this.#random());
    return this.#inARow < CONFLICTS_UNTIL_TAKEN_OVER
      ? { next: 'retry', code: 'conflict', delayMs, status: 'degraded' }
      : { next: 'retry', code: 'taken_over', delayMs, status: 'offline' };
  }
}
