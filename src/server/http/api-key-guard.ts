import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { sameSecret } from '../../base/same-secret.js';
import { FailedAuthLimiter } from './failed-auth-limiter.js';
import type { Refusal } from './refusal.js';

/** Callers whose key was wrong since the start. */
export interface RefusedKeys {
  readonly count: number;
  /** Unix ms. */
  readonly lastAt: number;
  /** Of the last one; always one of this machine's own. */
  readonly address: string;
}

/** Where the system API key comes from. */
export interface ApiKeySource {
  /** The key as it is now; undefined while the secret store is not ready. */
  current(): string | undefined;
  /** Calls `fn` after every change of the key. @returns a function that ends it */
  onRotate(fn: () => void): () => void;
}

const BEARER = /^bearer +([^\s]+) *$/i;
const MS_PER_SECOND = 1000;
/** A guesser must not be able to fill the log. */
const WARN_EVERY_MS = 60_000;

/**
 * Checks the system API key (protocol 3.0 section 3). It is taken from the `Authorization` header alone: a query
 * parameter, a cookie or a subprotocol would end up in logs and histories.
 */
export class ApiKeyGuard {
  readonly #source: ApiKeySource;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #limiter: FailedAuthLimiter;
  #warnedAt: number | undefined;
  #refused: RefusedKeys | undefined;

  constructor(source: ApiKeySource, clock: Clock, log: Logger) {
    this.#source = source;
    this.#log = log;
    this.#clock = clock;
    this.#limiter = new FailedAuthLimiter(clock);
  }

  /** Undefined while there were none. */
  get refused(): RefusedKeys | undefined {
    return this.#refused;
  }

  /** @returns why the request is refused, or undefined when its key is right */
  check(authorization: string | undefined, address: string): Refusal | undefined {
    const key = this.#source.current();
    // An empty key would let everybody in who sends one.
    if (!key) {
      return {
        status: 503,
        code: 'secrets_unavailable',
        message: 'the secret store is not ready',
        headers: { 'Retry-After': '5' },
      };
    }
    const presented = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
    // No key at all is no guess: it costs no try, so a monitor without one keeps reading "unauthorized".
    if (presented === undefined) return unauthorized();
    if (sameSecret(presented, key)) return undefined;

    this.#refused = { count: (this.#refused?.count ?? 0) + 1, lastAt: this.#clock.now(), address };
    const waitMs = this.#limiter.failed(address);
    if (waitMs === 0) return unauthorized();
    this.#warn(address);
    return {
      status: 429,
      code: 'too_many_failed_attempts',
      message: 'too many wrong API keys',
      headers: { 'Retry-After': String(Math.ceil(waitMs / MS_PER_SECOND)) },
    };
  }

  #warn(address: string): void {
    const now = this.#clock.monotonic();
    if (this.#warnedAt !== undefined && now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    this.#log.warn({ address }, 'too many wrong API keys');
  }
}

function unauthorized(): Refusal {
  return { status: 401, code: 'unauthorized', headers: { 'WWW-Authenticate': 'Bearer' } };
}
