import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** A program of the project's own node_modules, started without a shell and without npx. */
export function localBin(name) {
  return fileURLToPath(
    new URL(`../node_modules/.bin/${name}${process.platform === 'win32' ? '.cmd' : ''}`, import.meta.url),
  );
}

/**
 * Runs a command in the project's folder with this terminal; resolves with its exit code (1 when a signal ended it).
 * With `tee`, what it prints on standard output is returned too. With `heldUnder`, all that it prints is shown at its end, in one
 * piece under this heading, because something else runs beside it.
 */
export function run(command, args, { tee = false, heldUnder, env = process.env } = {}) {
  const held = heldUnder !== undefined;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env,
      stdio: ['inherit', tee || held ? 'pipe' : 'inherit', held ? 'pipe' : 'inherit'],
      shell: process.platform === 'win32' && command.endsWith('.cmd'),
    });
    let output = '';
    const heard = (chunk) => {
      output += chunk;
      if (!held) process.stdout.write(chunk);
    };
    child.stdout?.on('data', heard);
    child.stderr?.on('data', heard);
    child.once('error', reject);
    child.once('close', (code) => {
      if (held) process.stdout.write(`${heldUnder}\n${output}`);
      resolve({ code: code ?? 1, output });
    });
  });
}
