import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { within } from '../support/deadline.js';
import { Desk } from '../support/desktop/desk.js';
import { DesktopRun } from '../support/desktop/desktop-run.js';
import type { TrayEntry } from '../support/desktop/fake-desktop.js';

/** The tray as a desktop sees it over the session bus: icon, tooltip, and a menu that is clicked there. */

let desk: Desk;
let run: DesktopRun;

beforeAll(async () => {
  desk = await Desk.start({ keyring: 'ready', tray: true });
  run = await DesktopRun.start(desk.session, { args: ['--hidden'] });
});

afterAll(async () => {
  await run.kill();
  await desk.end();
});

const labels = (entries: readonly TrayEntry[]): string[] => entries.map(({ label }) => label);

describe('the tray', () => {
  const icons = new Map<string, string>();
  const seen = async (state: string): Promise<void> => void icons.set(state, await desk.desktop.pixels());

  it('is there without a window when the app starts hidden, and says that nothing is connected', async () => {
    expect(await run.windows()).toMatchObject({ all: 0 });
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: nothing is connected');
    const menu = await desk.desktop.menu();
    expect(labels(menu)).toEqual([
      'Nothing is connected',
      '',
      'Telegram · not connected',
      'Local chat · not connected',
      '',
      'Copy base URL',
      'Pause delivery',
      '',
      'Open xAgent Connector',
      'Quit',
    ]);
    expect(menu[0]!.enabled).toBe(false);
    await seen('offline');
  });

  it('copies a base URL', async () => {
    await desk.desktop.choose('Copy base URL', 'Telegram');
    const { url } = await run.ready();
    await expect.poll(() => run.app.evaluate(({ clipboard }) => clipboard.readText())).toBe(`${url}/telegram`);
  });

  it('opens the window where the network is signed in to', async () => {
    await desk.desktop.choose('Local chat · not connected', 'Sign in…');
    const page = await run.page();
    await expect.poll(() => page.url()).toBe('xagent://window/index.html#/connect/local');
  });

  it('follows a sign-in with its line, its icon and its tooltip', async () => {
    await run.result('call', 'sign-in', { connector: 'local', input: { display_name: 'Ada' } });
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: 1 receiving');
    expect(labels(await desk.desktop.menu())).toContain('Local chat · receiving');
    await seen('ok');
  });

  it('pauses and resumes delivery', async () => {
    await desk.desktop.choose('Pause delivery');
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: delivery is paused');
    expect((await run.state()).host).toMatchObject({ snapshot: { paused: true } });
    await seen('busy');
    await desk.desktop.choose('Resume delivery');
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: 1 receiving');
  });

  it('asks for attention while the keyring is away, and no longer than that', async () => {
    await desk.session.endKeyring();
    await run.result('call', 'check-secrets');
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: sign-ins can’t be read');
    await seen('attention');
    await desk.session.keyring('ready');
    await run.result('call', 'check-secrets');
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: 1 receiving');
  });

  it('shows another icon in every state', () => {
    expect([...icons.keys()]).toEqual(['offline', 'ok', 'busy', 'attention']);
    expect(new Set(icons.values()).size).toBe(4);
    for (const pixels of icons.values()) expect(pixels).not.toBe('');
  });

  it('signs out after asking, and not without', async () => {
    const answer = (response: number): Promise<void> =>
      run.app.evaluate(({ dialog }, chosen) => {
        dialog.showMessageBox = () => Promise.resolve({ response: chosen, checkboxChecked: false });
      }, response);
    await answer(0);
    await desk.desktop.choose('Local chat · receiving', 'Sign out…');
    await answer(1);
    expect(labels(await desk.desktop.menu())).toContain('Local chat · receiving');
    await desk.desktop.choose('Local chat · receiving', 'Sign out…');
    await expect.poll(() => desk.desktop.tooltip()).toBe('xAgent Connector: nothing is connected');
  });

  it('brings the window back from the menu', async () => {
    await run.closeWindow();
    await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
    await desk.desktop.choose('Open xAgent Connector');
    await expect.poll(() => run.windows()).toMatchObject({ all: 1, visible: 1 });
  });

  it('ends the app, which ends well', async () => {
    await desk.desktop.choose('Quit');
    const { code } = await within(run.exit, 'the app to end');
    expect(code).toBe(0);
    expect(run.stderr.entries.some((line) => line.includes('"the host stops"'))).toBe(true);
  });
});
