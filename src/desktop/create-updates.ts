import { readFileSync } from 'node:fs';
import { app } from 'electron';
import { updateFeed, Updates, type UpdatesParts } from './updates.js';

/** The updates of this build. electron-updater is loaded when it is first needed, which without a feed is never. */
export function createUpdates(parts: Omit<UpdatesParts, 'configured' | 'load'>): Updates {
  const feed = app.isPackaged ? updateFeed(process.resourcesPath, (file) => readFileSync(file, 'utf8')) : undefined;
  return new Updates({
    ...parts,
    configured: feed !== undefined,
    load: async () => (await import('./updater-bundle.js')).autoUpdater,
  });
}
