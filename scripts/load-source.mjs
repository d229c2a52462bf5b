// A module of the source as scripts need it: compiled in memory, so that nothing has to be built before.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

/** @param path relative to the root, of a module that needs nothing outside the source */
export async function loadSource(path) {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(`../${path}`, import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  const code = Buffer.from(result.outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}
