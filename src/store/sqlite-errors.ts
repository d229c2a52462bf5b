import { errorCode } from '../base/error-code.js';
import { StoreError } from './store.js';

type Code = StoreError['code'];

/** The reason of an error of SQLite or of the file system, when it has one: `SQLITE_FULL`, `ENOSPC`. */
export function diskCode(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code !== undefined || !(error instanceof Error)) return code;
  // libsql reports a failed open as text that ends in SQLite's number: `ConnectionFailed("… /path: 14")`.
  const number = /ConnectionFailed\(.*: (\d+)"?\)/s.exec(error.message)?.[1];
  return number === undefined ? undefined : OPEN_FAILURES.get(Number(number));
}

const OPEN_FAILURES: ReadonlyMap<number, string> = new Map([
  [8, 'SQLITE_READONLY'],
  [11, 'SQLITE_CORRUPT'],
  [13, 'SQLITE_FULL'],
  [14, 'SQLITE_CANTOPEN'],
  [26, 'SQLITE_NOTADB'],
]);

const EXACT: ReadonlyMap<string, Code> = new Map<string, Code>([
  ['ENOSPC', 'disk_full'],
  ['EDQUOT', 'disk_full'],
  ['EROFS', 'read_only'],
  ['EACCES', 'read_only'],
  ['EPERM', 'read_only'],
  ['SQLITE_PERM', 'read_only'],
  ['SQLITE_NOTADB', 'damaged'],
  // The write-ahead log's index could not grow: the disk it lives on is full.
  ['SQLITE_IOERR_SHMSIZE', 'disk_full'],
]);

/** What the disk said, or undefined when the error is not the disk's (a constraint, a bug in SQL, the caller's own). */
export function diskFault(error: unknown): Code | undefined {
  const code = diskCode(error);
  if (code === undefined) return undefined;
  const exact = EXACT.get(code);
  if (exact) return exact;
  if (code.startsWith('SQLITE_FULL')) return 'disk_full';
  if (code.startsWith('SQLITE_READONLY') || code.startsWith('SQLITE_CANTOPEN')) return 'read_only';
  if (code.startsWith('SQLITE_CORRUPT')) return 'damaged';
  if (code.startsWith('SQLITE_IOERR') || code.startsWith('SQLITE_BUSY')) return 'failed';
  return undefined;
}

/** Whether SQLite itself failed at the disk; an error of the caller's own is not one, whatever its code. */
export function isSqliteDiskFault(error: unknown): boolean {
  return diskCode(error)?.startsWith('SQLITE_') === true && diskFault(error) !== undefined;
}

const WORDS: Record<Code, string> = {
  disk_full: 'the disk is full',
  read_only: 'the data directory cannot be written',
  damaged: 'the database file is damaged',
  gone: 'the data directory was removed or replaced while the program runs',
  closed: 'the store is closed',
  newer_version: 'the database was written by a newer version of this program',
  not_a_folder: 'the data directory is not a folder',
  failed: 'the database did not answer as it should',
};

/** A {@link StoreError} for `error`; its text never repeats paths or SQL, the cause has them for the log. */
export function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return storeError(diskFault(error) ?? 'failed', error);
}

export function storeError(code: Code, cause?: unknown): StoreError {
  return new StoreError(code, WORDS[code], cause === undefined ? undefined : { cause });
}
