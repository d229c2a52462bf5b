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
 * With `tee`, what it prints on standard output is returned too.
 */
export function run(command, args, { tee = false, env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env,
      stdio: ['inherit', tee ? 'pipe' : 'inherit', 'inherit'],
      shell: process.platform === 'win32' && command.endsWith('.cmd'),
    });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      process.stdout.write(chunk);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
