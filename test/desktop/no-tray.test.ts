import { afterAll, beforeAll, expect, it } from 'vitest';
import { Desk } from '../support/desktop/desk.js';
import { DesktopRun } from '../support/desktop/desktop-run.js';

/** A desktop without a tray, as GNOME is without an extension: an app must not vanish from it. */

let desk: Desk;
let run: DesktopRun;

beforeAll(async () => {
  desk = await Desk.start({ keyring: 'ready', tray: false });
  run = await DesktopRun.start(desk.session);
});

afterAll(async () => {
  await run.kill();
  await desk.end();
});

it('says so, and closing the window only minimises it, with the reason told once', async () => {
  expect((await run.state()).shell.tray).toBe('none');
  await run.app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    if (window === undefined) throw new Error('there is no window');
    const asked = globalThis as { minimised?: number };
    asked.minimised = 0;
    // Without a window manager a window can't really be minimised: what counts is that it is asked to.
    window.minimize = () => void (asked.minimised = (asked.minimised ?? 0) + 1);
  });
  const minimised = (): Promise<number | undefined> =>
    run.app.evaluate(() => (globalThis as { minimised?: number }).minimised);
  await run.closeWindow();
  await expect.poll(minimised).toBe(1);
  expect(await run.windows()).toMatchObject({ all: 1 });
  const told = await desk.desktop.notifications.shown.next(() => true, 'the reason');
  expect(told.title).toBe('Your desktop has no tray');
  await run.closeWindow();
  await expect.poll(minimised).toBe(2);
  expect(desk.desktop.notifications.shown.entries).toHaveLength(1);
});

it('closes to the tray once there is one', async () => {
  await desk.desktop.showTray();
  await run.closeWindow();
  await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
  await desk.desktop.choose('Open xAgent Connector');
  await expect.poll(() => run.windows()).toMatchObject({ all: 1 });
  expect((await run.state()).shell.tray).toBe('shown');
});
