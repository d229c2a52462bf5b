import { stopping } from './desktop/stopping.js';
import { join } from 'node:path';
import { app } from 'electron';
import { loadBundle } from './base/load-bundle.js';
import type * as Program from './desktop-program.js';
import { complain } from './desktop/complain.js';
import { electronFolder } from './desktop/electron-folder.js';
import { FlagError, readFlags, type DesktopFlags } from './desktop/flags.js';
import { ProgramCache } from './desktop/program-cache.js';
import { ExitCode } from './host/cli/io.js';
import { resolvePlaces } from './host/data-dir.js';

// The desktop app's entry is as small as can be: the program itself is a bundle of its own, so that it can come with what V8
// made of it at an earlier start, and so that the app hears a signal to stop before it was even loaded.
const flags = flagsOrExit();
const places = resolvePlaces(flags);
const programCache = new ProgramCache(join(electronFolder(places.dataDir), 'program.cache'));
const program = loadBundle(join(__dirname, 'desktop.js'), programCache.compile) as typeof Program;
program.startDesktop({ flags, places, programCache, stopping });

function flagsOrExit(): DesktopFlags {
  try {
    return readFlags(process.argv, app.isPackaged ? 'packaged' : 'developed');
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    complain(error.message);
    process.exit(ExitCode.usage);
  }
}
