// npm start: builds, then opens the desktop app; where it can't be, says why in one line and runs the host without it.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

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

const desktop = desktopRuntime();
if (desktop.reason === undefined) {
  handOver(desktop.electron, [path('.'), ...process.argv.slice(2)]);
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
function desktopRuntime() {
  if (!existsSync(path('dist/main.js'))) return { reason: 'this version ships no window yet' };
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY)
    return { reason: 'no display' };
  try {
    return { electron: createRequire(import.meta.url)('electron') };
  } catch {
    return { reason: 'no Electron runtime is installed' };
  }
}

/** Runs the program in our place: its signals are ours, its exit code too. */
function handOver(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(`npm start: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
}
