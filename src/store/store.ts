import type { Database } from 'libsql';

/** SQL is written beside the room that owns the table; this type is all a room sees of the database. */
export type Sql = Database;

/**
 * The durable store: one libsql database, WAL, `synchronous=FULL`.
 * Writers share transactions (group commit), so that many small durable writes cost one fsync.
 */
export interface Store {
  /** Reads run at once on committed state. Never write through it. */
  readonly sql: Sql;
  /**
   * Runs `fn` inside the next group-commit transaction and resolves with its result after the commit is on disk.
   * `fn` is synchronous, runs exactly once, and sees the writes of functions queued before it. When it throws, only its own
   * writes are undone and the promise rejects with its error. When the commit fails, every promise of the group
   * rejects with {@link StoreError} and nothing of the group is kept.
   */
  write<T>(fn: (sql: Sql) => T): Promise<T>;
  /** Resolves when everything queued so far is committed or rejected. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The disk said no. `full` and `readonly` pause intake until a later write succeeds; nothing is dropped meanwhile. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly code: 'disk_full' | 'read_only' | 'damaged' | 'closed' | 'failed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
