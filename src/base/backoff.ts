/** How long to wait before try number `attempt` (1 = first repeat): doubling from `initialMs`, capped, with jitter. */
export interface BackoffPolicy {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** Share of the delay that is random, so that many accounts do not come back at the same instant. */
const JITTER = 0.2;

/**
 * @param attempt how many tries have failed so far, at least 1
 * @param random a number in [0, 1)
 * @returns milliseconds, between 80 % and 100 % of the capped exponential delay
 */
export function backoffDelay(policy: BackoffPolicy, attempt: number, random: () => number = Math.random): number {
  const exponent = Math.min(Math.max(attempt, 1) - 1, 30);
  const full = Math.min(policy.initialMs * 2 ** exponent, policy.maxMs);
  return Math.round(full * (1 - JITTER * random()));
}
