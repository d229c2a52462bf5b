import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../base/error-code.js';
import { writeFileAtomically } from './atomic-file.js';
import { PRIVATE_DIR_MODE } from './private-mode.js';
import { storeError, toStoreError } from './sqlite-errors.js';
import { StoreError } from './store.js';

const ID_FILE = 'data-dir-id';
const ID_BYTES = 16;
const ID_PATTERN = /^[A-Za-z0-9_-]{22}$/;

/**
 * Makes sure the data directory is there and private to its owner.
 * @throws StoreError `not_a_folder`, `read_only` or `disk_full`
 */
export function prepareDataDir(dataDir: string): void {
  try {
    for (const folder of missingFolders(dataDir)) makeFolder(folder);
  } catch (error) {
    throw toFolderError(error);
  }
}

function toFolderError(error: unknown): StoreError {
  const code = errorCode(error);
  // EEXIST: a link that leads nowhere, such as to a drive that is not there.
  if (code === 'ENOTDIR' || code === 'EEXIST') return storeError('not_a_folder', error);
  // What a file system that takes no folders answers, though the one above is there.
  return code === 'ENOENT' ? storeError('read_only', error) : toStoreError(error);
}

function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder, { mode: PRIVATE_DIR_MODE });
  } catch (error) {
    // Another process made it in the same moment.
    if (errorCode(error) === 'EEXIST' && isFolder(folder)) return;
    throw error;
  }
  // mkdir is subject to the umask, which can only take rights away; a wider directory was made by someone else on purpose.
  fs.chmodSync(folder, PRIVATE_DIR_MODE);
}

/** Folders to make, the outermost first. Node's own `recursive` never returns where mkdir answers ENOENT, as below /proc. */
function missingFolders(dataDir: string): string[] {
  const missing: string[] = [];
  for (let folder = path.resolve(dataDir); !isFolder(folder); folder = path.dirname(folder)) missing.unshift(folder);
  return missing;
}

/** @returns false when nothing is there. @throws StoreError `not_a_folder` */
function isFolder(place: string): boolean {
  const found = fs.statSync(place, { throwIfNoEntry: false });
  if (found && !found.isDirectory()) throw storeError('not_a_folder');
  return found !== undefined;
}

/** This data directory's random name, undefined before its first use. It tells its secrets from another directory's. */
export function readDataDirId(dataDir: string): string | undefined {
  let text: string;
  try {
    text = fs.readFileSync(path.join(dataDir, ID_FILE), 'utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw toStoreError(error);
  }
  // A new id would orphan every secret without a word, so a damaged one is an error.
  if (!ID_PATTERN.test(text)) {
    const todo = 'put a copy of it back, or remove it and sign in again everywhere';
    throw new StoreError('failed', `the file ${ID_FILE} is damaged: ${todo}`);
  }
  return text;
}

/**
 * The data directory's random name, made on first use.
 * @throws StoreError when it can be neither read nor made
 */
export async function ensureDataDirId(dataDir: string): Promise<string> {
  const known = readDataDirId(dataDir);
  if (known !== undefined) return known;
  prepareDataDir(dataDir);
  const id = randomBytes(ID_BYTES).toString('base64url');
  try {
    await writeFileAtomically(path.join(dataDir, ID_FILE), `${id}\n`, { replace: false });
  } catch (error) {
    // Someone else made it in the same moment.
    if (errorCode(error) !== 'EEXIST') throw toStoreError(error);
  }
  return readDataDirId(dataDir) ?? id;
}
