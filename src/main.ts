import { join } from 'node:path';
import { app } from 'electron';
import type * as Program from './desktop-program.js';
import { loadBundle } from './base/load-bundle.js';
import { complain } from './desktop/complain.js';
import { electronFolder } from './desktop/electron-folder.js';
import { FlagError, readFlags, type DesktopFlags } from './desktop/flags.js';
import { ProgramCache } from './desktop/program-cache.js';
import { resolvePlaces } from './host/data-dir.js';

// The desktop app's entry is as small as can be: the program itself is a bundle of its own, so that it can come with what V8
// made of it at an earlier start.

/** Exit code of the contract. */
const USAGE = 2;

const flags = flagsOrExit();
const places = resolvePlaces(flags);
const programCache = new ProgramCache(join(electronFolder(places.dataDir), 'program.cache'));
const program = loadBundle(join(__dirname, 'desktop.js'), programCache.compile) as typeof Program;
program.startDesktop({ flags, places, programCache });

function flagsOrExit(): DesktopFlags {
  try {
    return readFlags(process.argv, app.isPackaged ? 'packaged' : 'developed');
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    complain(error.message);
    process.exit(USAGE);
  }
}
