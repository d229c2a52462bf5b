// Builds dist/: the host and its helper processes as CommonJS bundles, the window's page, the assets, and the configuration's
// JSON Schema.
import './require-node.mjs';
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as buildPage } from 'vite';
import { buildFacts } from './build-facts.mjs';
import { writeCodeCaches } from './code-cache.mjs';
import { configSchema } from './config-schema.mjs';

const root = new URL('../', import.meta.url);
const path = (place) => fileURLToPath(new URL(place, root));

/** Bundles by output name. An entry whose room is not there yet is left out. */
const ENTRIES = Object.entries({
  cli: 'src/cli.ts',
  'command-line': 'src/command-line.ts',
  'keychain-worker': 'src/store/secrets/keychain-worker.ts',
  'feishu-sdk': 'src/targets/feishu/sdk-bundle.ts',
  socks: 'src/base/proxy/socks-bundle.ts',
  e2a: 'src/e2a/index.ts',
  main: 'src/main.ts',
  desktop: 'src/desktop-program.ts',
  preload: 'src/desktop/preload.ts',
  updater: 'src/desktop/updater-bundle.ts',
}).filter(([, source]) => existsSync(path(source)));

/** Native modules and what their loaders resolve at run time: they stay files under node_modules. */
const EXTERNAL = ['libsql', '@libsql/*', 'keytar', 'electron', 'bufferutil', 'utf-8-validate'];

/**
 * Libraries that most starts and commands have no use for, such as the Feishu SDK, which is larger than the rest of the program
 * together: each stays a file of its own, read when it is first used.
 */
const APART = { 'sdk-bundle': './feishu-sdk.js', 'socks-bundle': './socks.js', 'updater-bundle': './updater.js' };

const apart = {
  name: 'bundles-apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/(sdk|socks|updater)-bundle\.js$/ }, ({ path: source }) => ({
      path: APART[source.split('/').pop().replace('.js', '')],
      external: true,
    }));
  },
};

/**
 * `mime-types` makes its tables when it is loaded: milliseconds that no start has a use for. It is loaded when one of its functions is
 * first called; koa takes them out of it at its own loading.
 */
const lateTables = {
  name: 'late-tables',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^mime-types$/ }, async ({ path: name, pluginData, ...place }) => {
      if (pluginData === 'late') return undefined;
      const { importer, resolveDir, kind } = place;
      const { path: file, errors } = await resolve(name, { importer, resolveDir, kind, pluginData: 'late' });
      return errors.length > 0 ? { errors } : { path: relative(path('.'), file), namespace: 'late' };
    });
    onLoad({ filter: /./, namespace: 'late' }, ({ path: file }) => ({
      contents: MIME_FUNCTIONS.map(
        (name) => `exports.${name} = (value) => require('./${basename(file)}').${name}(value);`,
      ).join('\n'),
      resolveDir: dirname(path(file)),
    }));
  },
};

/** What anybody takes from `mime-types`; its tables themselves are asked for by nobody. */
const MIME_FUNCTIONS = ['charset', 'contentType', 'extension', 'lookup'];

const facts = buildFacts(root);

await rm(path('dist'), { recursive: true, force: true });
await mkdir(path('dist'), { recursive: true });

await build({
  entryPoints: Object.fromEntries(ENTRIES.map(([name, source]) => [name, path(source)])),
  outdir: path('dist'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  // The desktop runtime's Node may be as old as 18.15.
  target: 'node18',
  sourcemap: true,
  // Half the bytes to read and keep in memory; names stay, for whoever reads a stack.
  minifyWhitespace: true,
  minifySyntax: true,
  // The loader of code caches knows `require` only.
  supported: { 'dynamic-import': false },
  legalComments: 'linked',
  external: EXTERNAL,
  plugins: [apart, lateTables],
  define: { BUILD_FACTS: JSON.stringify(facts) },
  logLevel: 'warning',
});
for (const [name] of ENTRIES) await escapeRest(path(`dist/${name}.js`));
await appendDigest(path('dist/desktop.js'));
await chmod(path('dist/cli.js'), 0o755);
await writeCodeCaches(path('dist'));

await buildPage({ configFile: path('renderer/vite.config.mts'), logLevel: 'warn' });

if (existsSync(path('assets'))) await cp(path('assets'), path('dist/assets'), { recursive: true });
await writeFile(path('dist/config.schema.json'), `${JSON.stringify(await publishedSchema(), null, 2)}\n`);

/**
 * esbuild writes ASCII, except inside regular expressions. One other character would double what the whole source takes in
 * memory, and the loader reads bytes as characters.
 */
async function escapeRest(file) {
  const source = await readFile(file, 'utf8');
  const escaped = source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  if (escaped !== source) await writeFile(file, escaped);
}

/** By it a code cache knows its program (`src/desktop/program-cache.ts`): no start has to digest all of it. */
async function appendDigest(file) {
  const digest = createHash('sha512')
    .update(await readFile(file))
    .digest('base64url');
  await appendFile(file, `\n//# digest=${digest}\n`);
}

/** The configuration's JSON Schema as an editor reads it. */
async function publishedSchema() {
  const { properties, ...schema } = await configSchema();
  const { name, version } = JSON.parse(await readFile(path('package.json'), 'utf8'));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `${name} ${version} configuration`,
    ...asWritten({ ...schema, properties: { $schema: { type: 'string' }, ...properties } }),
  };
}

/** The schema of what a person writes: every key has a default, so none is required. */
function asWritten(schema) {
  const written = { ...schema };
  delete written.required;
  if (written.properties === undefined) return written;
  const optional = Object.entries(written.properties).map(([key, value]) => [key, asWritten(value)]);
  return { ...written, properties: Object.fromEntries(optional) };
}
