// npm run screenshots [-- part of a state's name [part of a look's name]]: a picture of every view and state of the window,
// light and dark, English and Chinese, wide and narrow, into screenshots/ (which git ignores).
import { build } from 'esbuild';
import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureSystemPackages } from './system-packages.mjs';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));
const bundle = path(`node_modules/.cache/screenshots-${process.pid}.mjs`);

if (!ensureSystemPackages()) process.exit(1);
await mkdir(path('node_modules/.cache'), { recursive: true });
try {
  await build({
    entryPoints: [path('test/window/take-screenshots.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    // Paths in it are relative to where the source lies.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(path('test/window/support/build-page.ts')).href) },
    logLevel: 'warning',
  });
  const { takeScreenshots } = await import(pathToFileURL(bundle).href);
  const count = await takeScreenshots(path('screenshots'), process.argv[2] ?? '', process.argv[3] ?? '');
  console.log(`${count} pictures in screenshots/`);
} finally {
  await rm(bundle, { force: true });
}
