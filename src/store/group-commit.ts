import type { Clock, Timer } from '../base/clock.js';
import { isSqliteDiskFault, storeError, toStoreError } from './sqlite-errors.js';
import { prepared } from './statements.js';
import { SOON_MS, type Sql, type StoreError, type Urgency } from './store.js';

/**
 * Functions in one transaction at most. They run without a pause, so this bounds how long a burst holds up the event loop
 * (about 10 ms), while the cost of the one fsync is already shared by a thousand.
 */
const MAX_GROUP = 1024;

interface Job {
  /** Runs the caller's function and keeps its result for {@link Job.done}. */
  run(sql: Sql): void;
  done(): void;
  failed(error: unknown): void;
}

/**
 * Writers queue here and share transactions. A group is whatever was queued when the event loop came round to it, so that a
 * lone writer waits for nothing but its own fsync and a thousand concurrent ones wait for one.
 */
export class GroupCommit {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #onOutcome: (failure: StoreError | undefined) => void;
  readonly #refusal: () => StoreError | undefined;
  #queue: Job[] = [];
  /** Written with the next group, whoever makes it necessary. */
  #soon: Job[] = [];
  #patience: Timer | undefined;
  #scheduled = false;
  #committing = false;
  #idle: (() => void)[] = [];

  /**
   * @param onOutcome called after each group: undefined when it is on disk, or why the disk refused it
   * @param refusal why nothing may be written, asked before each group
   */
  constructor(
    sql: Sql,
    clock: Clock,
    onOutcome: (failure: StoreError | undefined) => void,
    refusal: () => StoreError | undefined = () => undefined,
  ) {
    this.#sql = sql;
    this.#clock = clock;
    this.#onOutcome = onOutcome;
    this.#refusal = refusal;
  }

  add<T>(fn: (sql: Sql) => T, urgency: Urgency = 'now'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job: Job = {
        run: (sql) => {
          const value = fn(sql);
          // The transaction ends before an awaited step of `fn` could run.
          if (value instanceof Promise) {
            value.catch(() => undefined);
            throw new TypeError('a function given to Store.write must be synchronous');
          }
          job.done = () => resolve(value);
        },
        done: () => undefined,
        failed: reject,
      };
      if (urgency === 'now' || this.#idle.length > 0) {
        this.#queue.push(job);
        this.#schedule();
      } else {
        this.#soon.push(job);
        this.#patience ??= this.#clock.after(SOON_MS, () => this.#waitNoLonger());
      }
    });
  }

  /** Resolves when everything queued so far, and what is queued meanwhile, is committed or rejected. */
  drained(): Promise<void> {
    this.#waitNoLonger();
    if (this.#queue.length === 0 && !this.#committing) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #waitNoLonger(): void {
    this.#queue.push(...this.#company());
    if (this.#queue.length > 0) this.#schedule();
  }

  /** What waits for company, which has come. */
  #company(): Job[] {
    this.#patience?.cancel();
    this.#patience = undefined;
    return this.#soon.splice(0);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#queue.push(...this.#company());
      const group = this.#queue.splice(0, MAX_GROUP);
      this.#committing = true;
      try {
        this.#commit(group);
      } finally {
        this.#committing = false;
        if (this.#queue.length > 0) this.#schedule();
        else for (const resolve of this.#idle.splice(0)) resolve();
      }
    });
  }

  #commit(group: readonly Job[]): void {
    // Whose promise still waits: at the end of this, wherever it fails, none may.
    const waiting = new Set(group);
    try {
      const denied = this.#refusal();
      if (denied) throw denied;
      this.#step('BEGIN IMMEDIATE');
      let empty = true;
      for (const job of group) {
        const refusal = empty ? this.#runFirst(job) : this.#runAlone(job);
        if (refusal) {
          waiting.delete(job);
          job.failed(refusal.error);
        } else {
          empty = false;
        }
      }
      this.#step('COMMIT');
    } catch (error) {
      this.#undo(toStoreError(error), waiting);
      return;
    }
    this.#onOutcome(undefined);
    for (const job of waiting) job.done();
  }

  /**
   * Runs one function inside the group's transaction. When it throws, its own writes are undone.
   * @returns what it threw; undefined when its writes are part of the group
   * @throws when the disk failed: SQLite has then given up the whole transaction, or nothing more can be expected of it
   */
  #runAlone(job: Job): { readonly error: unknown } | undefined {
    this.#step('SAVEPOINT one');
    const refusal = this.#run(job);
    if (refusal) this.#step('ROLLBACK TO one');
    this.#step('RELEASE one');
    return refusal;
  }

  /** The same while nothing else is in the transaction: all of it can be undone, and a lone writer pays for no savepoint. */
  #runFirst(job: Job): { readonly error: unknown } | undefined {
    const refusal = this.#run(job);
    if (refusal) {
      this.#step('ROLLBACK');
      this.#step('BEGIN IMMEDIATE');
    }
    return refusal;
  }

  #run(job: Job): { readonly error: unknown } | undefined {
    try {
      job.run(this.#sql);
    } catch (error) {
      if (!this.#sql.inTransaction || isSqliteDiskFault(error)) throw toStoreError(error);
      return { error };
    }
    // Also when `fn` swallowed the error that ended the transaction: what it and others wrote is gone.
    if (!this.#sql.inTransaction) throw storeError('failed');
    return undefined;
  }

  #step(text: string): void {
    prepared(this.#sql, text).exec();
  }

  /** Nothing of the group is kept: those that ran are rejected, and so are those that would meet the same disk. */
  #undo(failure: StoreError, waiting: ReadonlySet<Job>): void {
    try {
      if (this.#sql.inTransaction) this.#step('ROLLBACK');
    } catch {
      // The failure that is being reported says more than a failed rollback does.
    }
    this.#onOutcome(failure);
    for (const job of waiting) job.failed(failure);
  }
}
