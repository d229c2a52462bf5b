// Fails when the Electron that ships is older than the oldest major version that still gets security fixes. Asks the registry.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Electron keeps its newest three major versions. */
const SUPPORTED = 3;

const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const own = Number(devDependencies.electron.split('.')[0]);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const latest = Number(
  execFileSync(npm, ['view', 'electron', 'version'], { encoding: 'utf8', shell: process.platform === 'win32' }).split(
    '.',
  )[0],
);
if (own <= latest - SUPPORTED) {
  console.error(`Electron ${own} gets no fixes any more; ${latest} is current.`);
  process.exitCode = 1;
} else {
  console.log(`Electron ${own} of ${latest}: supported.`);
}
