import { randomBytes } from 'node:crypto';
import { closeSync, fsync, openSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from '../base/error-code.js';
import { PRIVATE_FILE_MODE } from './private-mode.js';

const sync = promisify(fsync);

/**
 * Puts `content` at `file` so that at any moment, also after a power cut, there is the old content or the new, whole.
 * The file is readable by its owner only.
 *
 * @param options.replace false: reject with `EEXIST` when the file is there already
 */
export async function writeFileAtomically(
  file: string,
  content: string | Uint8Array,
  options: { replace: boolean } = { replace: true },
): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await fs.open(temporary, 'wx', PRIVATE_FILE_MODE);
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (options.replace) {
      await fs.rename(temporary, file);
    } else {
      await linkOrRename(temporary, file);
    }
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(path.dirname(file));
}

/** A link fails where the name is taken, which a rename does not; but some file systems (FAT, some shares) have no links. */
async function linkOrRename(temporary: string, file: string): Promise<void> {
  try {
    await fs.link(temporary, file);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    await fs.rename(temporary, file);
    return;
  }
  await fs.rm(temporary, { force: true });
}

/**
 * Makes the names in a directory durable. Windows has no such call and journals them itself. The disk is at it when this returns,
 * whatever else the caller does before it waits.
 */
export async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    await sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
