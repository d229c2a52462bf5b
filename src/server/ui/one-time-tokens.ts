import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { keyOfSecret } from './secret-key.js';

/** 256 bits: nobody guesses one in the time it lives. */
const TOKEN_BYTES = 32;
/** From "show me the link" to the browser that opens it; a link that lies about longer is a key under the mat. Milliseconds. */
export const LINK_TTL_MS = 2 * 60_000;
/** Links that wait to be opened; more than a few at once are a script gone wild, and the oldest goes. */
export const MAX_OPEN_LINKS = 8;

/** The tokens of one-time links. Only their digests are kept, so that what is in memory opens nothing. */
export class OneTimeTokens {
  /** Digest to the monotonic time of its end. */
  readonly #open = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** A token that opens one session within {@link LINK_TTL_MS}. */
  issue(): string {
    this.#forgetExpired();
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#open.set(keyOfSecret(token), this.clock.monotonic() + LINK_TTL_MS);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_OPEN_LINKS) break;
      this.#open.delete(oldest);
    }
    return token;
  }

  /** Whether this token opens a session: true at most once for each. */
  redeem(token: string): boolean {
    this.#forgetExpired();
    return this.#open.delete(keyOfSecret(token));
  }

  clear(): void {
    this.#open.clear();
  }

  #forgetExpired(): void {
    const now = this.clock.monotonic();
    for (const [key, endsAt] of this.#open) if (endsAt <= now) this.#open.delete(key);
  }
}
