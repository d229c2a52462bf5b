import path from 'node:path';
import { build } from 'esbuild';

/** The project's folder. */
const PROJECT_ROOT = path.resolve(__dirname, '../..');

/** Environment in which a bundle outside the project finds the native modules that no bundle can hold. */
export const BUNDLE_ENV = { NODE_PATH: path.join(PROJECT_ROOT, 'node_modules') } as const;

/** Bundles a source file as the product's build does, for tests that need a process of its own. Run it with {@link BUNDLE_ENV}. */
export async function bundle(source: string, outfile: string): Promise<string> {
  await build({
    entryPoints: [path.resolve(PROJECT_ROOT, source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    external: ['libsql', 'keytar'],
    logLevel: 'error',
  });
  return outfile;
}
