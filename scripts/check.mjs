// Types, lint, formatting, layer arrows, unit tests: everything that needs no built host. All of it runs, then the verdict.
import { localBin, run } from './run.mjs';

const STEPS = [
  ['types and lint', 'node', ['scripts/types-and-lint.mjs']],
  ['format', 'prettier', ['--check', '--log-level', 'warn', '.']],
  ['arrows', 'depcruise', ['--config', '.dependency-cruiser.cjs', 'src', 'test', 'renderer']],
  ['documents', 'node', ['scripts/docs.mjs', '--check']],
  ['unit tests', 'vitest', ['run', '--project', 'unit']],
].filter(([name]) => !process.argv.includes('--no-tests') || name !== 'unit tests');

const failed = [];
for (const [name, bin, args] of STEPS) {
  console.log(`\n== ${name}`);
  const { code } = await (bin === 'node' ? run(process.execPath, args) : run(localBin(bin), args));
  if (code !== 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`\ncheck failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
