import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { extractFile, listPackage } from '@electron/asar';
import { FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { within } from '../support/deadline.js';
import { Desk } from '../support/desktop/desk.js';

/**
 * The deb that `npm run package` made, unpacked as dpkg would and started from there. Not a part of `npm test`: making it takes minutes.
 */

const RELEASE = join(process.cwd(), 'release');
const START_MS = 30_000;

let root: string;
/** Where it lies once installed; packagers name it differently. */
let folder: string;
let program: string;
let desk: Desk;

beforeAll(async () => {
  const deb = readdirSync(RELEASE).find((name) => name.endsWith('.deb'));
  if (deb === undefined) throw new Error('there is no deb in release/: npm run package makes one');
  root = mkdtempSync(join(tmpdir(), 'xcd-root-'));
  execFileSync('dpkg-deb', ['-x', join(RELEASE, deb), root]);
  folder = join(root, 'opt', readdirSync(join(root, 'opt'))[0] ?? '');
  program = join(folder, 'xagent-connector-desktop');
  desk = await Desk.start({ keyring: 'ready', tray: true });
});

afterAll(async () => {
  await desk.end();
  rmSync(root, { recursive: true, force: true });
});

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(program, [...args], {
    env: { ...desk.session.env, ELECTRON_DISABLE_SANDBOX: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

it('E11: has the fuses of a program that nobody turns into another', async () => {
  const fuses = await getCurrentFuseWire(program);
  const isOn = (fuse: FuseV1Options): boolean => Number(fuses[fuse]) === '1'.charCodeAt(0);
  expect(isOn(FuseV1Options.RunAsNode)).toBe(false);
  expect(isOn(FuseV1Options.EnableNodeOptionsEnvironmentVariable)).toBe(false);
  expect(isOn(FuseV1Options.EnableNodeCliInspectArguments)).toBe(false);
  expect(isOn(FuseV1Options.OnlyLoadAppFromAsar)).toBe(true);
  expect(isOn(FuseV1Options.EnableCookieEncryption)).toBe(true);
});

it('holds what it runs, its licences, and no development dependency', () => {
  const archive = join(folder, 'resources', 'app.asar');
  const files = listPackage(archive, { isPack: false });
  for (const file of ['/dist/main.js', '/dist/preload.js', '/dist/keychain-worker.js', '/dist/renderer/index.html']) {
    expect(files).toContain(file);
  }
  const modules = new Set(files.flatMap((file) => /^\/node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(file)?.slice(1) ?? []));
  expect([...modules].filter((name) => !name.startsWith('@')).sort()).toEqual(['detect-libc', 'keytar', 'libsql']);
  expect(JSON.parse(extractFile(archive, 'package.json').toString())).not.toHaveProperty('devDependencies');
  const licences = readFileSync(join(folder, 'resources', 'licences.txt'), 'utf8');
  for (const name of ['libsql', 'keytar', 'react', 'koa', 'ws', 'electron-updater', 'pino']) {
    expect(licences).toMatch(new RegExp(`^(@github/)?${name} \\d`, 'm'));
  }
  expect(readdirSync(join(root, 'usr', 'share', 'applications'))).toEqual(['xagent-connector-desktop.desktop']);
});

it('E15: refuses a debugger, exit 2, and does not become Node', async () => {
  const child = start(['--remote-debugging-port=9222']);
  const [[code], said] = await within(
    Promise.all([once(child, 'exit') as Promise<[number | null]>, text(child.stderr!)]),
    'the refusal',
    START_MS,
  );
  expect(code).toBe(2);
  expect(said).toContain('--remote-debugging-port is not allowed here');
  const node = start(['-e', 'console.log("node" + 1)'], { ELECTRON_RUN_AS_NODE: '1' });
  const printed = await within(text(node.stdout!), 'the end', START_MS);
  expect(printed).not.toContain('node1');
});

it('starts, keeps its key in the keychain, shows its tray, and quits from there', async () => {
  const child = start(['--ready-json', '--data-dir', join(desk.session.folder, 'installed')]);
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await within(once(lines, 'line'), 'the ready line', START_MS)) as [string];
  const { url } = JSON.parse(line) as { url: string };
  expect((await fetch(`${url}/local/connector-card.json`)).status).toBe(200);
  await expect.poll(() => desk.desktop.tooltip(), { timeout: START_MS }).toBe('xAgent Connector: nothing is connected');
  await desk.desktop.choose('Quit');
  const [code] = (await within(once(child, 'exit'), 'the app to end', START_MS)) as [number | null];
  expect(code).toBe(0);
});
