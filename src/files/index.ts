import path from 'node:path';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Store } from '../store/index.js';
import { DiskFileStore, type FileStoreOptions } from './disk-file-store.js';
import type { FileStore } from './file-store.js';

/**
 * Files in transit both ways: streamed to disk under bounds of size, total and time, named and typed by what they are, and
 * swept when their time is over. The transfer plane serves them; targets fetch and send them.
 */
export { FileStoreError, type FileSource, type FileStore, type StoredFile } from './file-store.js';
export type { FileStoreOptions } from './disk-file-store.js';
export { contentDisposition, safeContentType } from './headers.js';

/** Where their bytes lie in the data directory. */
export const FILES_FOLDER = 'files';

/** Opens the files of `dataDir`, whose rows are in `store`; the first sweep starts at once. */
export function createFileStore(parts: {
  store: Store;
  dataDir: string;
  clock: Clock;
  log: Logger;
  options: FileStoreOptions;
}): FileStore {
  const { dataDir, ...rest } = parts;
  return new DiskFileStore({ ...rest, root: path.join(dataDir, FILES_FOLDER) });
}
