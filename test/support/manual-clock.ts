import type { Clock, Timer } from '../../src/base/clock.js';

interface Entry {
  due: number;
  order: number;
  fn: () => void;
}

/** A clock that moves only when told: hours pass in a test at once, and nothing sleeps. */
export class ManualClock implements Clock {
  #wall: number;
  #mono = 0;
  /** Wall less steady time. */
  #set = 0;
  #order = 0;
  readonly #entries = new Set<Entry>();

  constructor(startAt = Date.UTC(2026, 0, 15, 12, 0, 0)) {
    this.#wall = startAt;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#mono;
  }

  steady(): number {
    return this.#wall - this.#set;
  }

  after(ms: number, fn: () => void): Timer {
    const entry = { due: this.#mono + Math.max(ms, 0), order: this.#order++, fn };
    this.#entries.add(entry);
    return { cancel: () => void this.#entries.delete(entry) };
  }

  /** The process died: none of its timers fires any more. */
  forget(): void {
    this.#entries.clear();
  }

  /** Timers that wait. */
  get timers(): number {
    return this.#entries.size;
  }

  /**
   * Moves both times by `ms`, firing due timers in order and letting promises settle after each.
   * @param others lets others run in between, where something else than all of it is wanted
   */
  async advance(ms: number, others: () => Promise<void> = settle): Promise<void> {
    const target = this.#mono + ms;
    await others();
    for (let next = this.#nextDue(target); next; next = this.#nextDue(target)) {
      this.#entries.delete(next);
      this.#moveTo(Math.max(next.due, this.#mono));
      next.fn();
      await others();
    }
    this.#moveTo(target);
    await others();
  }

  /** The system clock is set: wall time jumps, and nothing else. */
  jumpWall(ms: number): void {
    this.#wall += ms;
    this.#set += ms;
  }

  /** Time passes while the program does not run, or the machine sleeps: no timer fires. */
  skip(ms: number): void {
    this.#wall += ms;
  }

  #moveTo(mono: number): void {
    this.#wall += mono - this.#mono;
    this.#mono = mono;
  }

  #nextDue(limit: number): Entry | undefined {
    let next: Entry | undefined;
    for (const entry of this.#entries) {
      if (entry.due > limit) continue;
      if (!next || entry.due < next.due || (entry.due === next.due && entry.order < next.order)) next = entry;
    }
    return next;
  }
}

/** Lets everything that can run without time passing run: promise chains, group commits, immediate I/O callbacks. */
export async function settle(turns = 6): Promise<void> {
  for (let i = 0; i < turns; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
