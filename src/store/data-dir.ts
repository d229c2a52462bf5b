import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { writeFileAtomically } from './atomic-file.js';
import { errorCode, storeError, toStoreError } from './sqlite-errors.js';

/** Only the person who runs the program may look into its data. */
export const PRIVATE_DIR_MODE = 0o700;
export const PRIVATE_FILE_MODE = 0o600;

const ID_FILE = 'data-dir-id';
const ID_BYTES = 16;
const ID_PATTERN = /^[A-Za-z0-9_-]{22}$/;

/**
 * Makes sure the data directory is there and private to its owner.
 * @throws StoreError `read_only` or `disk_full`
 */
export function prepareDataDir(dataDir: string): void {
  try {
    const created = fs.mkdirSync(dataDir, { recursive: true, mode: PRIVATE_DIR_MODE });
    // mkdir is subject to the umask, which can only take rights away; a wider directory was made by someone else on purpose.
    if (created !== undefined) fs.chmodSync(dataDir, PRIVATE_DIR_MODE);
  } catch (error) {
    // What a read-only file system answers to making several folders at once.
    throw errorCode(error) === 'ENOENT' ? storeError('read_only', error) : toStoreError(error);
  }
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
  if (!ID_PATTERN.test(text)) throw storeError('failed', new Error(`${ID_FILE} is damaged`));
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
