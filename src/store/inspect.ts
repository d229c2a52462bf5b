import fs from 'node:fs';
import Database from 'libsql';
import { diskCode, diskFault } from './sqlite-errors.js';

/** What was found where the database should be. */
export type Inspection =
  | { readonly found: 'nothing' }
  | { readonly found: 'healthy' }
  | { readonly found: 'newer_version' }
  | { readonly found: 'damaged'; readonly reason: string };

/**
 * Looks at the database file before it is used, and lets go of it again.
 *
 * @param knownBefore whether a database lived here once: an empty file is then a loss, otherwise a first start cut short
 * @throws the error of SQLite or the file system when it is not about damage (no rights, busy, full disk)
 */
export function inspectDatabase(file: string, newestVersion: number, knownBefore: boolean): Inspection {
  const size = sizeOf(file);
  if (size === undefined) return { found: 'nothing' };
  if (size === 0) {
    // SQLite would silently delete a write-ahead log that lies beside an empty file.
    const log = sizeOf(`${file}-wal`) ?? 0;
    return knownBefore || log > 0 ? { found: 'damaged', reason: 'the file is empty' } : { found: 'nothing' };
  }
  try {
    return examine(file, newestVersion);
  } catch (error) {
    if (diskFault(error) === 'damaged') return { found: 'damaged', reason: diskCode(error) ?? 'unreadable' };
    throw error;
  }
}

/**
 * Asks through CHECK constraints instead of SELECT: a libsql connection that ever made a statement object stays open after
 * `close` until the garbage collector comes by, and would then delete the write-ahead log of whatever bears its name by then.
 */
function examine(file: string, newestVersion: number): Inspection {
  const sql = new Database(file);
  try {
    sql.exec('PRAGMA busy_timeout = 2000');
    sql.exec(`CREATE TEMP TABLE version (value INTEGER CHECK (value <= ${newestVersion}))`);
    if (!holds(sql, 'INSERT INTO temp.version SELECT user_version FROM pragma_user_version')) {
      return { found: 'newer_version' };
    }
    sql.exec("CREATE TEMP TABLE verdict (value TEXT CHECK (value = 'ok'))");
    if (!holds(sql, 'INSERT INTO temp.verdict SELECT quick_check FROM pragma_quick_check(1)')) {
      return { found: 'damaged', reason: 'quick_check' };
    }
    return { found: 'healthy' };
  } finally {
    sql.close();
  }
}

function holds(sql: Database.Database, insertion: string): boolean {
  try {
    sql.exec(insertion);
    return true;
  } catch (error) {
    if (diskCode(error) === 'SQLITE_CONSTRAINT_CHECK') return false;
    throw error;
  }
}

function sizeOf(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.size;
}
