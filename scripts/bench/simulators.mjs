// What the tests are made with, bundled on the spot: simulators of the networks, a screen and a bus of one's own.
import { build } from 'esbuild';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../test/', import.meta.url));
const require = createRequire(import.meta.url);

/**
 * @param source a file below test/
 * @param folder where the bundle may be written
 */
export async function loadForTests(source, folder, name = basename(source, '.ts')) {
  const outfile = join(folder, `${name}.cjs`);
  await build({
    entryPoints: [join(FOLDER, source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['libsql', 'keytar'],
    logLevel: 'error',
  });
  return require(outfile);
}

export const loadSimulator = (name, folder) => loadForTests(`simulators/${name}/index.ts`, folder, `${name}-simulator`);
