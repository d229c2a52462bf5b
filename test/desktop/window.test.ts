import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, within } from '../support/deadline.js';
import { DesktopRun, electronProgram, APP } from '../support/desktop/desktop-run.js';
import { FakeDesktop } from '../support/desktop/fake-desktop.js';
import { PrivateSession, Screen } from '../support/desktop/private-session.js';

/** The window's life: opened, closed to the tray, opened anew, crashed, asked for by a second start. One run serves all. */

let screen: Screen;
let session: PrivateSession;
let desktop: FakeDesktop;
let run: DesktopRun;

beforeAll(async () => {
  screen = await Screen.start();
  session = await PrivateSession.start(screen, 'ready');
  desktop = await FakeDesktop.start(session.env);
  await desktop.showTray();
  run = await DesktopRun.start(session);
});

afterAll(async () => {
  await run.kill();
  desktop.stop();
  await session.end();
  screen.stop();
});

it('opens its window at the first start and prints one line once agents can connect', async () => {
  const { url, pid } = await run.ready();
  expect(run.stdout.entries).toHaveLength(1);
  expect(JSON.parse(run.stdout.entries[0]!)).toEqual({
    event: 'ready',
    pid: run.process.pid,
    url,
    ui_url: `${url}/ui/`,
    connectors: ['im.telegram', 'im.local'].map((id) => ({
      connector_card_id: id,
      base_url: `${url}/${id.slice(3)}`,
    })),
  });
  expect(pid).toBeGreaterThan(0);
  expect((await fetch(`${url}/local/connector-card.json`)).status).toBe(200);
  await expect.poll(() => run.windows()).toMatchObject({ all: 1, visible: 1 });
});

it('shows the page of the build, with the facts of this desktop', async () => {
  const page = await run.page();
  expect(page.url()).toMatch(/^xagent:\/\/window\/index\.html/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(async () => (await run.state()).shell.tray).toBe('shown');
  const { host, shell } = await run.state();
  expect(host.stage).toBe('running');
  expect(shell).toMatchObject({ kind: 'desktop', systemLanguage: 'en', update: { status: 'off' } });
});

it('tells the page of a change without being asked', async () => {
  const page = await run.page();
  await page.evaluate(`new Promise((resolve) => {
    window.heard = [];
    window.stop = window.xagentConnector.onState((state) => window.heard.push(state.host.snapshot.paused));
    resolve();
  })`);
  await run.result('call', 'pause', { paused: true });
  await expect.poll(() => page.evaluate('window.heard.at(-1)')).toBe(true);
  await page.evaluate('window.stop()');
  await page.evaluate('window.heard.length = 0');
  await run.result('call', 'pause', { paused: false });
  await expect.poll(async () => (await run.state()).host).toMatchObject({ snapshot: { paused: false } });
  expect(await page.evaluate('window.heard.length')).toBe(0);
});

it('destroys the closed window, runs on in the tray, and opens a new one with the same state', async () => {
  await run.result('call', 'pause', { paused: true });
  await run.closeWindow();
  await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
  expect(run.process.exitCode).toBeNull();

  await desktop.click();
  await expect.poll(() => run.windows()).toMatchObject({ all: 1, visible: 1 });
  expect((await run.state()).host).toMatchObject({ stage: 'running', snapshot: { paused: true } });
  await run.result('call', 'pause', { paused: false });
});

it('comes back where it was', async () => {
  const place = { x: 120, y: 90, width: 700, height: 520 };
  await run.app.evaluate(({ BrowserWindow }, bounds) => BrowserWindow.getAllWindows()[0]?.setBounds(bounds), place);
  await eventually(async () => {
    await run.closeWindow();
    await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
    await desktop.click();
    await run.page();
    const bounds = await run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getNormalBounds());
    return bounds?.width === place.width && bounds.height === place.height && bounds.x === place.x;
  }, 'the window at its place');
});

it('moves and closes also when the disk keeps nothing of it', async () => {
  const file = join(run.dataDir, 'desktop', 'preferences.json');
  await rename(file, `${file}.away`);
  await mkdir(file);
  const from = run.stderr.mark;
  const refused = (line: string): boolean => line.includes('something about the window was not kept');
  await run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(640, 500));
  await run.stderr.next(refused, 'the refusal on the log', { from });
  await run.closeWindow();
  await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
  await rm(file, { recursive: true });
  await rename(`${file}.away`, file);
  await desktop.click();
  await expect.poll(() => run.windows()).toMatchObject({ all: 1, visible: 1 });
  expect((await run.state()).host.stage).toBe('running');
});

it('opens a new window when the page crashes', async () => {
  const before = await run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.id);
  await run.app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer();
  });
  await expect
    .poll(() => run.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map(({ id }) => id)))
    .not.toContain(before);
  expect((await run.state()).host.stage).toBe('running');
  await run.stderr.next((line) => line.includes('the window crashed'), 'the crash on the log');
});

it('E19: hands a second start over to the first, which takes its arguments for data', async () => {
  await run.closeWindow();
  await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
  expect(await secondStart('--hidden')).toBe(0);
  expect(await run.windows()).toMatchObject({ all: 0 });

  expect(await secondStart('--remote-debugging-port=1', '--js-flags=--expose-gc')).toBe(0);
  await expect.poll(() => run.windows()).toMatchObject({ all: 1, visible: 1 });
  expect((await run.ready()).pid).toBe(run.process.pid);
});

it('keeps the person’s choices and refuses what is none', async () => {
  await run.result('shell', 'set-preferences', { language: 'zh', theme: 'dark' });
  expect((await run.state()).shell.preferences).toMatchObject({ language: 'zh', theme: 'dark' });
  await expect.poll(() => desktop.tooltip()).toBe('xAgent Connector：还没有连接账号');
  expect(await run.call('shell', 'set-preferences', { language: 'xx' })).toMatchObject({
    error: { code: 'invalid_params' },
  });
  await run.result('shell', 'set-preferences', { language: 'en', theme: 'system' });
});

/** Starts the app once more on the same data; its exit code. */
async function secondStart(...args: readonly string[]): Promise<number | null> {
  const child = spawn(await electronProgram(), ['--no-sandbox', APP, '--data-dir', run.dataDir, ...args], {
    env: { ...session.env },
    stdio: 'ignore',
  });
  const [code] = (await within(once(child, 'exit'), 'the second start to end', 20_000)) as [number | null];
  return code;
}
