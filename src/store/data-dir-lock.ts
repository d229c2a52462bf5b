import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'libsql';
import { errorCode } from '../base/error-code.js';
import { prepareDataDir } from './data-dir.js';
import { PRIVATE_FILE_MODE } from './private-mode.js';
import { toStoreError } from './sqlite-errors.js';

/** Locked by the operating system on behalf of the process that holds it; always empty. */
const LOCK_FILE = 'lock';

/** Says who holds the lock, for people. It decides nothing: numbers of processes are used again. */
const HOLDER_FILE = 'lock.pid';

/** How long a second process asks who the holder is: one that took the lock a moment ago has yet to write its number. */
const ASK_TIMES = 40;
const ASK_EVERY_MS = 25;

/** Another process works on this data directory. */
export class DataDirLockedError extends Error {
  override readonly name = 'DataDirLockedError';
  /** @param pid the holder; undefined when it could not be learnt */
  constructor(readonly pid: number | undefined) {
    super(
      pid === undefined
        ? 'another process is using this data directory'
        : `process ${pid} is using this data directory; only one can`,
    );
  }
}

export interface DataDirLock {
  /** Lets the next process in. */
  release(): Promise<void>;
}

/**
 * Makes this process the only one that works on `dataDir`, until `release` or its end, however it ends.
 *
 * The lock is SQLite's write lock on an empty file: one operation of the operating system on every platform, which exactly one
 * of any number of processes that start at once wins, and which a killed process can't leave behind.
 *
 * @throws DataDirLockedError when another process has it; StoreError when the directory can't be used
 */
export async function lockDataDir(dataDir: string): Promise<DataDirLock> {
  prepareDataDir(dataDir);
  const holderFile = path.join(dataDir, HOLDER_FILE);
  for (let asked = 0; ; asked += 1) {
    const lock = tryLock(path.join(dataDir, LOCK_FILE));
    if (lock) {
      try {
        // Says who it is while this process runs: after a crash it is nobody's, so it need not survive one.
        fs.writeFileSync(holderFile, `${process.pid}\n`, { mode: PRIVATE_FILE_MODE });
      } catch (error) {
        lock.close();
        throw toStoreError(error);
      }
      return { release: () => release(lock, holderFile) };
    }
    const pid = readHolder(holderFile);
    if ((pid !== undefined && isRunning(pid)) || asked === ASK_TIMES) throw new DataDirLockedError(pid);
    await delay(ASK_EVERY_MS);
  }
}

async function release(lock: Database.Database, holderFile: string): Promise<void> {
  if (!lock.open) return;
  await fs.promises.rm(holderFile, { force: true }).catch(() => undefined);
  lock.close();
}

/**
 * SQLite would make the file readable for others. It is only ever opened here when it is new: closing any descriptor of a
 * file drops the locks that this process holds on it.
 */
function makePrivate(file: string): void {
  try {
    fs.closeSync(fs.openSync(file, 'wx', PRIVATE_FILE_MODE));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Takes the lock, or gives undefined when someone has it. Only `exec` is used: a statement would keep it past `close`. */
function tryLock(file: string): Database.Database | undefined {
  let lock: Database.Database | undefined;
  try {
    makePrivate(file);
    lock = new Database(file);
    lock.exec('BEGIN IMMEDIATE');
    return lock;
  } catch (error) {
    lock?.close();
    if (errorCode(error)?.startsWith('SQLITE_BUSY')) return undefined;
    throw toStoreError(error);
  }
}

function readHolder(file: string): number | undefined {
  try {
    const pid = Number(fs.readFileSync(file, 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
