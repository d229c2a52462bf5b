import type { Sql } from '../store/index.js';
import { isComplete, pendingAfter, pendingByMessageId, pendingCount, type PendingRow } from './pending-queue.js';

/** Rows read ahead of the head; a queue of any depth costs the same memory and the same work per message. */
const WINDOW = 32;

/**
 * One account's queue as its dispatcher sees it: the first rows in memory, the rest counted. A row that ended leaves at once,
 * while its removal from the disk may still be on its way.
 */
export class QueueWindow {
  readonly #sql: Sql;
  readonly #accountId: string;
  /** Rows up to here were counted when this window was opened. */
  readonly #countedTo: number;
  readonly #gone = new Set<number>();
  #count: number;
  #rows: PendingRow[] = [];
  #loadedTo = 0;

  constructor(sql: Sql, accountId: string) {
    this.#sql = sql;
    this.#accountId = accountId;
    const { count, lastSeq } = pendingCount(sql, accountId);
    this.#count = count;
    this.#countedTo = lastSeq;
  }

  get count(): number {
    return Math.max(this.#count, 0);
  }

  /** New rows are on disk. */
  added(rows: readonly PendingRow[]): void {
    for (const row of rows) {
      if (row.seq <= this.#countedTo) continue;
      const knowsAll = this.#rows.length === this.#count;
      this.#count += 1;
      // Where all before it are in memory, one that stays as it was written need not be read from the disk.
      if (knowsAll && row.seq > this.#loadedTo && this.#rows.length < WINDOW && isComplete(row)) {
        this.#rows.push(row);
        this.#loadedTo = row.seq;
      }
    }
  }

  /** The oldest row that has not ended. */
  head(): PendingRow | undefined {
    while (this.#rows.length === 0 && this.#count > 0) {
      const rows = pendingAfter(this.#sql, this.#accountId, this.#loadedTo, WINDOW);
      const last = rows.at(-1);
      if (!last) return undefined;
      this.#loadedTo = last.seq;
      this.#rows = rows.filter((row) => !this.#gone.has(row.seq));
    }
    return this.#rows[0];
  }

  find(messageId: string): PendingRow | undefined {
    const row =
      this.#rows.find((candidate) => candidate.messageId === messageId) ??
      pendingByMessageId(this.#sql, this.#accountId, messageId);
    return row && !this.#gone.has(row.seq) ? row : undefined;
  }

  /** Whether the row has not ended, nor was removed since. */
  has({ seq, messageId }: PendingRow): boolean {
    return this.find(messageId)?.seq === seq;
  }

  /** Every row that has not ended, oldest first, read a few at a time. */
  *all(): Generator<PendingRow> {
    for (let after = 0; ;) {
      const rows = pendingAfter(this.#sql, this.#accountId, after, WINDOW);
      for (const row of rows) {
        after = row.seq;
        if (!this.#gone.has(row.seq)) yield row;
      }
      if (rows.length < WINDOW) return;
    }
  }

  /** The row ended. */
  end(seq: number): void {
    this.#gone.add(seq);
    this.#count -= 1;
    if (this.#rows[0]?.seq === seq) this.#rows.shift();
    else this.#rows = this.#rows.filter((row) => row.seq !== seq);
  }

  /** And is not on the disk any more. */
  removed(seq: number): void {
    this.#gone.delete(seq);
  }

  hasEnded(seq: number): boolean {
    return this.#gone.has(seq);
  }
}
