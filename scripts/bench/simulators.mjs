// The project's own simulators of the networks, bundled on the spot: they are written in TypeScript for the tests.
import { build } from 'esbuild';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../test/simulators/', import.meta.url));
const require = createRequire(import.meta.url);

/** @param folder where the bundle may be written */
export async function loadSimulator(name, folder) {
  const outfile = join(folder, `${name}-simulator.cjs`);
  await build({
    entryPoints: [join(FOLDER, name, 'index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['libsql', 'keytar'],
    logLevel: 'error',
  });
  return require(outfile);
}
