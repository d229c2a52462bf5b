import type { Clock, Timer } from '../../../src/base/clock.js';

export type Json = Record<string, unknown>;

/** An identifier this far behind the tail is from before a restart of the numbering. */
const FUTURE_SLACK = 10;

interface WaitingPoll {
  finish(outcome: 'update' | 'timeout' | 'conflict' | 'gone'): void;
}

/**
 * The bot's update queue as Telegram keeps it: an offset confirms everything below it for good, one long poll waits at a time,
 * and a second one ends the first with a conflict.
 */
export class UpdateQueue {
  readonly #clock: Clock;
  #updates: { update_id: number }[] = [];
  #nextId: number;
  #waiting: WaitingPoll | undefined;

  constructor(clock: Clock, firstId: number) {
    this.#clock = clock;
    this.#nextId = firstId;
  }

  /** Not yet confirmed. */
  get unconfirmed(): readonly { update_id: number }[] {
    return this.#updates;
  }

  get polling(): boolean {
    return this.#waiting !== undefined;
  }

  push(update: Json): number {
    const update_id = this.#nextId++;
    this.#updates.push({ update_id, ...update });
    this.#waiting?.finish('update');
    return update_id;
  }

  /** After a week of silence Telegram continues at a random number. */
  continueAt(updateId: number): void {
    this.#nextId = updateId;
  }

  /** Ends a waiting poll as if another program had polled. */
  takeOver(): void {
    this.#waiting?.finish('conflict');
  }

  async poll(
    { offset, limit, timeoutS }: { offset: number | undefined; limit: number; timeoutS: number },
    onClose: (fn: () => void) => void,
  ): Promise<'conflict' | 'gone' | readonly Json[]> {
    this.#waiting?.finish('conflict');
    this.#confirm(offset);
    if (this.#updates.length === 0 && timeoutS > 0) {
      const outcome = await this.#wait(timeoutS * 1_000, onClose);
      if (outcome === 'conflict' || outcome === 'gone') return outcome;
    }
    return this.#updates.slice(0, limit);
  }

  #confirm(offset: number | undefined): void {
    if (offset === undefined || offset > this.#nextId + FUTURE_SLACK) return;
    this.#updates =
      offset < 0 ? this.#updates.slice(offset) : this.#updates.filter(({ update_id }) => update_id >= offset);
  }

  #wait(ms: number, onClose: (fn: () => void) => void): Promise<'update' | 'timeout' | 'conflict' | 'gone'> {
    return new Promise((resolve) => {
      let timer: Timer | undefined = undefined;
      const poll: WaitingPoll = {
        finish: (outcome) => {
          timer?.cancel();
          if (this.#waiting === poll) this.#waiting = undefined;
          resolve(outcome);
        },
      };
      this.#waiting = poll;
      timer = this.#clock.after(ms, () => poll.finish('timeout'));
      onClose(() => poll.finish('gone'));
    });
  }
}
