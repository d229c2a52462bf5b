import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../../base/clock.js';
import { keyOfSecret } from './secret-key.js';

/** 256 random bits in the cookie. */
const SESSION_ID_BYTES = 32;
/** A working day; then a fresh link is needed, so that a browser that was left open somewhere does not stay let in. Milliseconds. */
export const SESSION_TTL_MS = 12 * 3_600_000;
/** Browsers let in at once; a person has a few, and the oldest makes room. */
export const MAX_SESSIONS = 16;

/** A browser that was let in. */
export interface UiSession {
  /** Calls `fn` when the session is over, whatever ended it. @returns a function that takes it back */
  onEnd(fn: () => void): () => void;
}

class Session implements UiSession {
  readonly #listeners = new Set<() => void>();

  constructor(
    readonly key: string,
    readonly endsAt: number,
    readonly timer: Timer,
  ) {}

  onEnd(fn: () => void): () => void {
    this.#listeners.add(fn);
    return () => void this.#listeners.delete(fn);
  }

  ended(): void {
    this.timer.cancel();
    for (const fn of [...this.#listeners]) fn();
  }
}

/** The sessions of browsers, in memory only: they end with the host. Kept by the digest of what is in the cookie. */
export class UiSessions {
  readonly #sessions = new Map<string, Session>();

  constructor(private readonly clock: Clock) {}

  /** Lets a browser in. @returns what its cookie holds */
  open(): string {
    const id = randomBytes(SESSION_ID_BYTES).toString('base64url');
    const key = keyOfSecret(id);
    const timer = this.clock.after(SESSION_TTL_MS, () => this.#end(key));
    this.#sessions.set(key, new Session(key, this.clock.monotonic() + SESSION_TTL_MS, timer));
    for (const oldest of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break;
      this.#end(oldest);
    }
    return id;
  }

  /** The session that one of these cookie values names; a page of another path may have set a second one of that name. */
  find(ids: readonly string[]): UiSession | undefined {
    for (const id of ids) {
      const session = this.#sessions.get(keyOfSecret(id));
      if (session !== undefined && session.endsAt > this.clock.monotonic()) return session;
    }
    return undefined;
  }

  /** Ends the sessions that these cookie values name. */
  end(ids: readonly string[]): void {
    for (const id of ids) this.#end(keyOfSecret(id));
  }

  endAll(): void {
    for (const key of [...this.#sessions.keys()]) this.#end(key);
  }

  #end(key: string): void {
    const session = this.#sessions.get(key);
    this.#sessions.delete(key);
    session?.ended();
  }
}
