import { join } from 'node:path';

/** Everything that Electron itself and the shell keep, inside the data directory: nothing of ours lies elsewhere. */
export function electronFolder(dataDir: string): string {
  return join(dataDir, 'desktop');
}
