import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SettingsFacts } from '../bridge/index.js';
import { FILES_FOLDER } from '../files/index.js';
import { DATABASE_FILE } from '../store/index.js';
import { LOGS_FOLDER } from './logging.js';

/** What the data directory's parts take of the disk, bytes; what can't be looked at counts as nothing. */
export async function storageUse(dataDir: string): Promise<SettingsFacts['storage']> {
  const [database, files, logs] = await Promise.all([
    // The write-ahead log belongs to it, and so does a damaged one that was set aside.
    sizeOfEntries(dataDir, (name) => name.startsWith(DATABASE_FILE)),
    sizeOfEntries(join(dataDir, FILES_FOLDER)),
    sizeOfEntries(join(dataDir, LOGS_FOLDER)),
  ]);
  return { database, files, logs };
}

async function sizeOfEntries(folder: string, counts: (name: string) => boolean = () => true): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const place = join(folder, entry.name);
      if (!counts(entry.name)) return 0;
      if (entry.isDirectory()) return sizeOfEntries(place);
      return (await stat(place).catch(() => undefined))?.size ?? 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
