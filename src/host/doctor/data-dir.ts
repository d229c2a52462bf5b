import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Finding } from '../../bridge/index.js';
import { finding } from './finding.js';

/** Below this the next files and messages may not fit; bytes. */
const LOW_SPACE_BYTES = 512 * 1024 * 1024;
/** Below this the database itself is in danger; bytes. */
const NO_SPACE_BYTES = 16 * 1024 * 1024;
/** Rights of group and others on a folder. */
const OTHERS_RIGHTS = 0o077;

const MIB = 1024 * 1024;
const CHECK = 'data directory';

/** @param freeBytesOf how much room a folder has, bytes; undefined when that can't be said */
export function checkDataDir(folder: string, freeBytesOf = freeBytes): Finding {
  const existing = nearestExisting(folder);
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return finding(CHECK, 'broken', 'data_dir_not_writable', { folder: existing });
  }
  const free = freeBytesOf(existing) ?? Infinity;
  const megabytes = Math.floor(free / MIB);
  if (free < NO_SPACE_BYTES) return finding(CHECK, 'broken', 'disk_full', { megabytes });
  if (existing === folder && process.platform !== 'win32' && (statSync(folder).mode & OTHERS_RIGHTS) !== 0) {
    return finding(CHECK, 'warn', 'data_dir_open_to_others', { folder });
  }
  if (free < LOW_SPACE_BYTES) return finding(CHECK, 'warn', 'disk_low', { megabytes });
  return finding(CHECK, 'ok', existing === folder ? 'data_dir_usable' : 'data_dir_to_be_made', { folder });
}

function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExisting(dirname(folder));
}

function freeBytes(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
