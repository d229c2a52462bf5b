import type { Database } from 'libsql';

/**
 * SQL is written beside the room that owns the table; this type is all a room sees of the database.
 * Run it through `prepared(sql, text)` of statements.ts: it caches the statement per connection, checks parameters (the native
 * module aborts the process on a boolean) and gives rows without libsql's `_metadata`.
 */
export type Sql = Database;

/**
 * When a write must be on disk: `now`, in the next transaction; or `soon`, with whatever is written next, at the latest
 * {@link SOON_MS} from now. `soon` is for records of what has already happened, whose loss in a crash costs a repeat and nothing
 * else: they then cost no fsync of their own.
 */
export type Urgency = 'now' | 'soon';

/**
 * Milliseconds that a write of urgency `soon` waits for company: more than a burst leaves between two, and hardly more than an
 * acknowledgment is on its way, during which a crash costs the same repeat.
 */
export const SOON_MS = 2;

/**
 * The durable store: one libsql database, WAL, `synchronous=FULL`.
 * Writers share transactions (group commit), so that many small durable writes cost one fsync.
 */
export interface Store {
  /** Set when the file found at open was damaged: where it was moved to, complete, before an empty database took its place. */
  readonly damaged: { readonly setAsideAs: string } | undefined;
  /** Why the last write was refused; undefined while writing works. Intake is paused meanwhile. */
  readonly failing: StoreError['code'] | undefined;
  /** Reads run at once on committed state. Never write through it. */
  readonly sql: Sql;
  /**
   * Runs `fn` inside the next group-commit transaction and resolves with its result after the commit is on disk.
   * `fn` is synchronous, runs exactly once, and sees the writes of functions queued before it. When it throws, only its own
   * writes are undone and the promise rejects with its error. When the commit fails, every promise of the group
   * rejects with {@link StoreError} and nothing of the group is kept.
   */
  write<T>(fn: (sql: Sql) => T, urgency?: Urgency): Promise<T>;
  /** Resolves when everything queued so far is committed or rejected; nothing waits for company meanwhile. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The disk said no. `disk_full` and `read_only` pause intake until a later write succeeds; nothing is dropped meanwhile.
 * `gone`: the database file is no longer where it was, so that what is written would be lost with this process.
 * `newer_version` and `not_a_folder` come from opening only: what is there is left as it is.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  constructor(
    readonly code:
      'disk_full' | 'read_only' | 'damaged' | 'gone' | 'closed' | 'newer_version' | 'not_a_folder' | 'failed',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
