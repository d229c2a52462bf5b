import type { Clock } from '../../base/clock.js';

/** A bucket that fills at a steady rate: `burst` tries at once, then one per `refillMs`. */
interface Rate {
  readonly burst: number;
  readonly refillMs: number;
}

/** Wrong keys of one address. A misconfigured agent that polls every few seconds still reads "unauthorized", a guesser does not. */
const PER_ADDRESS: Rate = { burst: 20, refillMs: 3_000 };
/** Wrong keys of all addresses together. */
const GLOBAL: Rate = { burst: 100, refillMs: 1_000 };
/** Addresses remembered; a loopback server sees very few. */
const MAX_ADDRESSES = 256;

/**
 * Slows down who tries keys. It is asked only after a key was found wrong, so it can never lock out who holds the
 * right one, even from the same address.
 */
export class FailedAuthLimiter {
  readonly #clock: Clock;
  readonly #global: Bucket;
  readonly #addresses = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#global = new Bucket(GLOBAL, clock.monotonic());
  }

  /** Counts a wrong key. @returns 0 when it may be answered plainly, else milliseconds until the next one may. */
  failed(address: string): number {
    const now = this.#clock.monotonic();
    const bucket = this.#addresses.get(address) ?? new Bucket(PER_ADDRESS, now);
    // Re-inserted, so that the map's first entry is the one unused for longest.
    this.#addresses.delete(address);
    this.#addresses.set(address, bucket);
    if (this.#addresses.size > MAX_ADDRESSES) {
      const [oldest] = this.#addresses.keys();
      if (oldest !== undefined) this.#addresses.delete(oldest);
    }
    const wait = Math.max(bucket.wait(now), this.#global.wait(now));
    if (wait > 0) return wait;
    bucket.take();
    this.#global.take();
    return 0;
  }
}

class Bucket {
  #tokens: number;
  #at: number;
  constructor(
    private readonly rate: Rate,
    now: number,
  ) {
    this.#tokens = rate.burst;
    this.#at = now;
  }

  /** Milliseconds until a token is there; 0 when one is. */
  wait(now: number): number {
    this.#tokens = Math.min(this.rate.burst, this.#tokens + (now - this.#at) / this.rate.refillMs);
    this.#at = now;
    return this.#tokens >= 1 ? 0 : Math.ceil((1 - this.#tokens) * this.rate.refillMs);
  }

  take(): void {
    this.#tokens -= 1;
  }
}
