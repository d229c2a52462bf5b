// npm start: builds, then opens the desktop app; where it can't be, says why in one line and runs the host without it.
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { findElectron } from './electron-runtime.mjs';
import { handOver } from './hand-over.mjs';
import { run } from './run.mjs';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/** Milliseconds in which Electron tells its version, on a machine that is busy. */
const VERSION_DEADLINE_MS = 20_000;

const OPTIONS = {
  config: { type: 'string' },
  'data-dir': { type: 'string' },
  hidden: { type: 'boolean' },
  'ready-json': { type: 'boolean' },
};

let flags;
try {
  flags = parseArgs({ options: OPTIONS, strict: true, allowPositionals: false }).values;
} catch (error) {
  console.error(`npm start: ${error.message}`);
  process.exit(2);
}

const built = await run(process.execPath, [path('scripts/build.mjs')]);
if (built.code !== 0) process.exit(built.code);

const desktop = await desktopRuntime();
if (desktop.reason === undefined) {
  if (desktop.note !== undefined) console.error(desktop.note);
  handOver(desktop.electron, [path('.'), ...process.argv.slice(2)], { ...process.env, ...sandbox() });
} else {
  console.error(`No desktop app here (${desktop.reason}): running the host without it. Stop it with Ctrl-C.`);
  // --hidden says how the window starts; without a window there is nothing to hide.
  const args = ['serve'];
  if (flags.config !== undefined) args.push('--config', flags.config);
  if (flags['data-dir'] !== undefined) args.push('--data-dir', flags['data-dir']);
  if (flags['ready-json']) args.push('--ready-json');
  handOver(process.execPath, [path('dist/cli.js'), ...args]);
}

/** The Electron program, or why there is none. */
async function desktopRuntime() {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return { reason: 'no display' };
  try {
    const found = await findElectron();
    if (found.reason !== undefined || starts(found.electron)) return found;
    return { reason: 'Electron does not start here: libraries of the system are missing' };
  } catch (error) {
    return { reason: error.message };
  }
}

/** Whether the program finds what it needs of the system, such as GTK: a loader that does not, ends it at once. */
function starts(electron) {
  const env = { ...process.env, ELECTRON_DISABLE_SANDBOX: '1' };
  return spawnSync(electron, ['--version'], { env, stdio: 'ignore', timeout: VERSION_DEADLINE_MS }).status === 0;
}

/** Chromium refuses to run as root inside its sandbox; only here, where a developer or a container starts it, that is overruled. */
function sandbox() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return {};
  console.error('Run as root, so Chromium runs without its sandbox.');
  return { ELECTRON_DISABLE_SANDBOX: '1' };
}
