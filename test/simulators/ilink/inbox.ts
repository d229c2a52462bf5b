import type { Clock } from '../../../src/base/clock.js';
import type { Json } from './rules.js';

/** Server ids are uint64, and real ones exceed int64. */
const FIRST_ID = 18_446_744_073_709_400_001n;

export interface Poll {
  readonly cursor: string;
  readonly entries: readonly unknown[];
}

/** Messages on their way to one bot, handed out by long polls under an opaque cursor. */
export class Inbox {
  /** Whether an old cursor gives its batch again, or delivery itself consumes. Reports speak of both. */
  replays = true;
  /** Milliseconds. */
  holdMs = 35_000;
  /** Told as `longpolling_timeout_ms`, when set. */
  announcedHoldMs: number | undefined;
  /** Most messages of one batch. */
  batchSize = 100;
  polling = 0;
  /** Polls that were answered. */
  answered = 0;
  readonly #clock: Clock;
  readonly #entries: unknown[] = [];
  #consumed = 0;
  #nextId = FIRST_ID;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next server id, as decimal text. */
  newId(): string {
    this.#nextId += 1n;
    return String(this.#nextId);
  }

  push(...entries: readonly unknown[]): void {
    this.#entries.push(...entries);
    this.wake();
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** @param onGone registers what to do when the client leaves; undefined when it has left */
  async poll(cursor: string, onGone: (fn: () => void) => void): Promise<Poll | undefined> {
    const since = cursor === '' ? 0 : Number(/^cursor-(\d+)-/.exec(cursor)?.[1] ?? Number.NaN);
    if (Number.isNaN(since)) throw new Error('not a cursor of ours');
    this.polling += 1;
    const gone = await new Promise<boolean>((resolve) => {
      const settle = (left: boolean): void => {
        timer.cancel();
        this.#waiting.delete(look);
        resolve(left);
      };
      const look = (): void => {
        if (this.#from(since) < this.#entries.length) settle(false);
      };
      const timer = this.#clock.after(this.holdMs, () => settle(false));
      onGone(() => settle(true));
      this.#waiting.add(look);
      look();
    });
    this.polling -= 1;
    if (gone) return undefined;
    this.answered += 1;
    const from = this.#from(since);
    const entries = this.#entries.slice(from, from + this.batchSize);
    this.#consumed = Math.max(this.#consumed, from + entries.length);
    return { cursor: `cursor-${String(from + entries.length)}-opaque==`, entries };
  }

  #from(since: number): number {
    return this.replays ? since : Math.max(since, this.#consumed);
  }
}

export function textItem(text: string, more: Json = {}): Json {
  return { type: 1, text_item: { text }, ...more };
}
