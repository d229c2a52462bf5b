// npm run package [-- --release]: the desktop app as something to install, in release/.
// Alone it makes what this machine can make by itself: the app's folder, and on Linux a tar.gz and a deb of it.
// With --release the packager makes what electron-builder.yml names; it downloads its tools, so that is for public CI.
import { build as bundle } from 'esbuild';
import { build as packApp, Platform } from 'electron-builder';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build as buildPage } from 'vite';
import { installedElectron, testRuntime, TEST_ELECTRON } from './electron-runtime.mjs';
import { licenceText, packageFolderOf, withDependencies } from './licences.mjs';
import { buildDeb } from './package-deb.mjs';
import { ROOT, run } from './run.mjs';

const path = (relative) => join(ROOT, relative);
const APP = path('release/app');

/** Of the build, what the app runs. The command line needs Node, which a packaged app is not. */
const PARTS = [
  'main.js',
  'desktop.js',
  'preload.js',
  'keychain-worker.js',
  'feishu-sdk.js',
  'socks.js',
  'updater.js',
  'renderer',
  'assets',
  'config.schema.json',
];
/** Modules that no bundle can hold, and what they load. */
const NATIVE = ['libsql', 'keytar'];
/** Sources of the bundles that ship, for their licences. */
const BUNDLED = [
  'src/main.ts',
  'src/desktop-program.ts',
  'src/store/secrets/keychain-worker.ts',
  'src/targets/feishu/sdk-bundle.ts',
  'src/base/proxy/socks-bundle.ts',
  'src/desktop/updater-bundle.ts',
];

/** Fuses that every current Electron has and the one of the tests has not. */
const CURRENT = { electronFuses: { grantFileProtocolExtraPrivileges: false } };

const { release } = parseArgs({ options: { release: { type: 'boolean', default: false } } }).values;
const manifest = JSON.parse(readFileSync(path('package.json'), 'utf8'));

const built = await run(process.execPath, [path('scripts/build.mjs')]);
if (built.code !== 0) process.exit(built.code);
await stage();
await writeFile(path('release/licences.txt'), await licences());
if (release) {
  await packApp({ projectDir: ROOT, publish: 'never', config: CURRENT });
} else {
  await packHere();
}

/** Puts together what goes into the archive. */
async function stage() {
  await rm(path('release'), { recursive: true, force: true });
  await mkdir(join(APP, 'dist'), { recursive: true });
  for (const part of PARTS) await cp(path(`dist/${part}`), join(APP, 'dist', part), { recursive: true });
  const modules = withDependencies(ROOT, NATIVE).filter((folder) => !folder.endsWith('node-addon-api'));
  for (const folder of modules) {
    const name = folder.slice(path('node_modules/').length);
    if (!isForeign(name)) await cp(folder, join(APP, 'node_modules', name), { recursive: true, filter: isNeeded });
  }
  const { name, version, description, license } = manifest;
  const dependencies = Object.fromEntries(NATIVE.map((module) => [module, manifest.dependencies[module]]));
  const author = 'xAgent Connector contributors';
  const own = { name, version, description, license, author, main: manifest.main, dependencies };
  await writeFile(join(APP, 'package.json'), JSON.stringify(own, null, 2));
}

/** A build of libsql for another C library. */
function isForeign(name) {
  return name.startsWith('@libsql/') && name.includes('musl');
}

/** Of keytar, the binary of this system alone; of no module its sources and tests. */
function isNeeded(file) {
  const inside = file.slice(path('node_modules/').length).replaceAll('\\', '/');
  const prebuilt = /^keytar\/prebuilds\/([^/]+)/.exec(inside);
  if (prebuilt) return prebuilt[1] === `${process.platform}-${process.arch}`;
  return (
    !/^keytar\/(src|script|build|binding\.gyp)/.test(inside) &&
    !/\.(md|ts|map)$/i.test(inside.replace(/LICEN[CS]E.*/i, ''))
  );
}

async function licences() {
  const bundles = await bundle({
    entryPoints: BUNDLED.map(path),
    outdir: path('release/none'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    external: [...NATIVE, '@libsql/*', 'electron', 'bufferutil', 'utf-8-validate'],
    logLevel: 'error',
  });
  const page = await buildPage({
    configFile: path('renderer/vite.config.mts'),
    logLevel: 'error',
    build: { write: false },
  });
  const files = [
    ...Object.keys(bundles.metafile.inputs).map(path),
    ...[page].flat().flatMap(({ output }) => output.flatMap(({ modules = {} }) => Object.keys(modules))),
  ];
  const folders = files.map(packageFolderOf).filter((folder) => folder !== undefined);
  return licenceText([
    ...folders,
    ...withDependencies(ROOT, NATIVE).filter((folder) => !isForeign(folder.slice(path('node_modules/').length))),
  ]);
}

/** With the Electron that is here: an installed one, else the old one of the tests. */
async function packHere() {
  const installed = installedElectron();
  const old = installed === undefined ? await testRuntime() : undefined;
  if (installed === undefined && old === undefined) throw new Error('no Electron runtime is installed');
  if (old !== undefined) console.error(`Packaged with Electron ${TEST_ELECTRON}, which is old: for tests only.`);
  await packApp({
    projectDir: ROOT,
    publish: 'never',
    targets: Platform.current().createTarget('dir'),
    config: old === undefined ? CURRENT : ofTestRuntime(join(old, '..')),
  });
  if (process.platform !== 'linux') return;
  const unpacked = path('release/linux-unpacked');
  const base = `${manifest.name}-${manifest.version}-linux-x64`;
  const tar = spawnSync(
    'tar',
    [
      'czf',
      path(`release/${base}.tar.gz`),
      `--transform=s,^linux-unpacked,${base},`,
      '-C',
      path('release'),
      'linux-unpacked',
    ],
    {
      stdio: 'inherit',
    },
  );
  if (tar.status !== 0) throw new Error('tar failed');
  await buildDeb({ unpacked, manifest, icons: path('assets/icons/app'), out: path(`release/${base}.deb`) });
  console.log(
    `release/: ${readdirSync(path('release'))
      .filter((name) => existsSync(path(`release/${name}`)))
      .join(', ')}`,
  );
}

/** The test runtime lies unpacked on the disk. */
function ofTestRuntime(folder) {
  return {
    electronDist: folder,
    electronVersion: TEST_ELECTRON,
    afterPack: async ({ appOutDir }) => {
      for (const name of ['resources/default_app.asar', 'version']) await rm(join(appOutDir, name), { force: true });
    },
  };
}
