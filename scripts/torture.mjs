// npm run torture: the promises of docs/reliability.md, put under load until they would break. Stops by itself.
import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

const root = new URL('../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, root));
const folder = mkdtempSync(join(tmpdir(), 'xagent-connector-torture-'));
const program = join(folder, 'torture.cjs');

try {
  await build({
    entryPoints: [path('test/torture/main.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // Packages stay where they are: only the project's own files are bundled.
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'error',
  });
  const { code } = await run(
    process.execPath,
    ['--enable-source-maps', '--expose-gc', program, ...process.argv.slice(2)],
    {
      cwd: path('.'),
      env: { ...process.env, NODE_PATH: path('node_modules') },
    },
  );
  process.exitCode = code ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
