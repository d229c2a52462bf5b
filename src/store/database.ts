import fs from 'node:fs';
import path from 'node:path';
import Database from 'libsql';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { syncDirectory } from './atomic-file.js';
import { ensureDataDirId, prepareDataDir, readDataDirId } from './data-dir.js';
import { PRIVATE_FILE_MODE } from './private-mode.js';
import { GroupCommit } from './group-commit.js';
import { inspectDatabase } from './inspect.js';
import { migrate, SCHEMA_VERSION } from './migrate.js';
import { DATABASE_COMPANIONS, setAside } from './set-aside.js';
import { diskCode, storeError, toStoreError } from './sqlite-errors.js';
import { forgetStatements } from './statements.js';
import type { Sql, Store, StoreError, Urgency } from './store.js';

export const DATABASE_FILE = 'xagent.db';

/** Milliseconds to wait for another program's lock (a backup, a `sqlite3` shell); the event loop waits with it. */
const BUSY_TIMEOUT_MS = 2000;

/**
 * Groups of writes after which the write-ahead log is folded into the database, as soon as nothing was written for a moment: it
 * takes two fsyncs and more, and no message should wait for that. About 4 MB of log, as messages are.
 */
export const GROUPS_PER_CHECKPOINT = 128;
export const CHECKPOINT_QUIET_MS = 5;
/** Where there is no quiet moment, it is done after as many groups. */
export const GROUPS_AT_MOST = 512;
/** Pages of log (4 KiB each) at which SQLite does it within a commit, however few groups wrote them. */
const AUTO_CHECKPOINT_PAGES = 4_000;

/**
 * Opens the database of `dataDir`, which this process must have locked, and brings its shape up to date.
 *
 * A damaged file is moved aside with everything that belongs to it, logged as an error and told by `Store.damaged`.
 *
 * @throws StoreError `newer_version` (the file is left alone), `read_only`, `disk_full` or `failed`
 */
export async function openStore(parts: { dataDir: string; clock: Clock; log: Logger }): Promise<Store> {
  const { dataDir, clock, log } = parts;
  try {
    prepareDataDir(dataDir);
    const file = path.join(dataDir, DATABASE_FILE);
    const isKnown = readDataDirId(dataDir) !== undefined;
    // The names of a directory that was used before are there already: the disk is asked for them while the file is looked at.
    const named = isKnown && fs.existsSync(file) ? syncDirectory(dataDir) : undefined;
    named?.catch(() => undefined);
    const inspection = inspectDatabase(file, SCHEMA_VERSION, isKnown);
    if (inspection.found === 'newer_version') throw storeError('newer_version');
    let damaged: Store['damaged'];
    if (inspection.found === 'damaged') {
      damaged = { setAsideAs: setAside(file, clock.now(), DATABASE_COMPANIONS) };
      log.error(
        { code: 'database_damaged', reason: inspection.reason, set_aside_as: path.basename(damaged.setAsideAs) },
        'the database was damaged; it was set aside and an empty one takes its place',
      );
    }
    const sql = connect(file);
    // Last, because from now on an empty database file means that something was lost.
    await ensureDataDirId(dataDir);
    await (damaged === undefined && named ? named : syncDirectory(dataDir));
    return new LibsqlStore(sql, file, damaged, clock, log);
  } catch (error) {
    throw toStoreError(error);
  }
}

function connect(file: string): Sql {
  // SQLite gives its companion files the rights of the database file.
  fs.closeSync(fs.openSync(file, 'a', PRIVATE_FILE_MODE));
  fs.chmodSync(file, PRIVATE_FILE_MODE);
  const sql = new Database(file);
  try {
    sql.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    sql.exec('PRAGMA journal_mode = WAL');
    sql.exec('PRAGMA synchronous = FULL');
    sql.exec('PRAGMA foreign_keys = ON');
    sql.exec(`PRAGMA wal_autocheckpoint = ${AUTO_CHECKPOINT_PAGES}`);
    migrate(sql);
    return sql;
  } catch (error) {
    sql.close();
    throw error;
  }
}

/** Which file a name stands for; undefined where there is none. */
function identityOf(file: string): Pick<fs.BigIntStats, 'dev' | 'ino'> | undefined {
  return fs.statSync(file, { throwIfNoEntry: false, bigint: true });
}

class LibsqlStore implements Store {
  readonly sql: Sql;
  readonly damaged: Store['damaged'];
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #file: string;
  readonly #identity: ReturnType<typeof identityOf>;
  readonly #writers: GroupCommit;
  #failing: StoreError['code'] | undefined;
  #groupsInLog = 0;
  #closing: Promise<void> | undefined;

  constructor(sql: Sql, file: string, damaged: Store['damaged'], clock: Clock, log: Logger) {
    this.sql = sql;
    this.damaged = damaged;
    this.#clock = clock;
    this.#log = log;
    this.#file = file;
    this.#identity = identityOf(file);
    this.#writers = new GroupCommit(
      sql,
      clock,
      (failure) => {
        this.#noteOutcome(failure);
        this.#noteGroup();
      },
      () => (this.#isThere() ? undefined : storeError('gone')),
    );
  }

  get failing(): StoreError['code'] | undefined {
    // Looked at whenever somebody asks, so that a quiet program notices too.
    return this.#failing ?? (this.#isThere() ? undefined : 'gone');
  }

  /** SQLite goes on writing into a file that was removed, and everything is lost with its last descriptor. */
  #isThere(): boolean {
    const found = identityOf(this.#file);
    return found?.ino === this.#identity?.ino && found?.dev === this.#identity?.dev;
  }

  write<T>(fn: (sql: Sql) => T, urgency: Urgency = 'now'): Promise<T> {
    if (this.#closing) return Promise.reject(storeError('closed'));
    return this.#writers.add(fn, urgency);
  }

  flush(): Promise<void> {
    return this.#writers.drained();
  }

  close(): Promise<void> {
    this.#closing ??= this.#writers.drained().then(() => this.#disconnect());
    return this.#closing;
  }

  #noteGroup(): void {
    this.#groupsInLog += 1;
    if (this.#groupsInLog === GROUPS_PER_CHECKPOINT) this.#checkpointWhenQuiet();
    // What waits for this group has gone out by then.
    else if (this.#groupsInLog === GROUPS_AT_MOST) setImmediate(() => this.#checkpoint());
  }

  #checkpointWhenQuiet(): void {
    const before = this.#groupsInLog;
    this.#clock.after(CHECKPOINT_QUIET_MS, () => {
      if (this.#groupsInLog === before) this.#checkpoint();
      else if (this.#groupsInLog > before) this.#checkpointWhenQuiet();
    });
  }

  /** Never waits for anybody; what a reader still needs stays in the log until the next time. */
  #checkpoint(): void {
    this.#groupsInLog = 0;
    if (!this.sql.open) return;
    try {
      this.sql.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch (error) {
      // What is in the log is durable; whether the disk takes more is for the next write to find out.
      this.#log.debug({ code: diskCode(error) }, 'the write-ahead log was not folded in');
    }
  }

  #disconnect(): void {
    forgetStatements(this.sql);
    try {
      // Folds the log into the one database file, which may then be copied as it is, and leaves nothing that a connection
      // still waiting for the garbage collector could delete under a successor.
      this.sql.exec('PRAGMA journal_mode = DELETE');
    } catch (error) {
      // Another program reads it: the log stays, whole and durable, and the next start takes it in.
      this.#log.debug({ code: diskCode(error) }, 'the write-ahead log stays beside the database');
    }
    this.sql.close();
  }

  /** The log hears of a change, not of every refused write: a full disk is the worst time to write much. */
  #noteOutcome(failure: StoreError | undefined): void {
    if (failure?.code === this.#failing) return;
    this.#failing = failure?.code;
    if (failure) this.#log.error({ code: failure.code, reason: diskCode(failure.cause) }, failure.message);
    else this.#log.info({ code: 'store_recovered' }, 'writing to the database works again');
  }
}
