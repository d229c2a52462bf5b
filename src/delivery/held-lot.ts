import type { Timer } from '../base/clock.js';
import type { OutboundVerdict } from './delivery.js';
import { MERGE_MAX_MS, MERGE_QUIET_MS, RESERVE_MAX_MS } from './held-limits.js';
import type { HeldReply } from './held-store.js';

/** A held message in this run of the program. */
export interface HeldItem {
  readonly reply: HeldReply;
  /** Monotonic ms. */
  readonly since: number;
  /** Answers the agent that still waits for the verdict. */
  answer: ((verdict: OutboundVerdict) => void) | undefined;
  sending: Promise<OutboundVerdict> | undefined;
}

/** Everything that waits for one account, oldest first. */
export class HeldLot {
  readonly items: HeldItem[] = [];
  /** Its turn to be looked through has been asked for. */
  queued = false;
  failures = 0;
  timer: Timer | undefined;
  abort: AbortController | undefined;
  #lastAt = 0;
  #isSettled = false;

  get bytes(): number {
    return this.items.reduce((sum, { reply }) => sum + Buffer.byteLength(reply.text), 0);
  }

  /** @param now monotonic ms */
  add(reply: HeldReply, now: number): HeldItem {
    const item: HeldItem = { reply, since: now, answer: undefined, sending: undefined };
    this.items.push(item);
    this.#lastAt = now;
    this.#isSettled = false;
    return item;
  }

  remove(item: HeldItem): void {
    const index = this.items.indexOf(item);
    if (index >= 0) this.items.splice(index, 1);
  }

  /** The agent says whether it is done. */
  noteActivity(isIdle: boolean): void {
    this.#isSettled = isIdle;
  }

  /**
   * Whether few replies may be spent: the run is over, as far as anybody can tell, or the oldest message has waited long enough.
   * @param now monotonic ms
   */
  mayBeSpent(now: number, { isWorking, reserve }: { readonly isWorking: boolean; readonly reserve: boolean }): boolean {
    if (!isWorking && (this.#isSettled || now - this.#lastAt >= MERGE_QUIET_MS)) return true;
    const oldest = this.items[0]?.since ?? now;
    return now - oldest >= (reserve ? RESERVE_MAX_MS : MERGE_MAX_MS);
  }
}
