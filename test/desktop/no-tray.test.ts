import { afterAll, beforeAll, expect, it } from 'vitest';
import { Desk } from '../support/desktop/desk.js';
import { DesktopRun } from '../support/desktop/desktop-run.js';

/** A desktop without a tray, as GNOME is without an extension: an app must not vanish from it. */

let desk: Desk;
let run: DesktopRun;

beforeAll(async () => {
  desk = await Desk.start({ keyring: 'ready', tray: false });
  run = await DesktopRun.start(desk.session, {
    config: { ...NOTIFIES, server: { port: 0, apiKey: 'key-of-this-test' } },
  });
});

afterAll(async () => {
  await run.kill();
  await desk.end();
});

/** Messages that nobody takes expire at once. */
const NOTIFIES = {
  log: { level: 'debug' },
  delivery: { ttlMs: 1_000 },
  connectors: {
    wechat: { enabled: false },
    feishu: { enabled: false },
    xmpp: { enabled: false },
    telegram: { enabled: false },
  },
};

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

it('tells of an expired message once, without its text, and a click leads to it', async () => {
  const session = await run.result('call', 'sign-in', { connector: 'local', input: { display_name: 'Ada' } });
  const accountId = await signedIn(String(session['authSessionId']));
  const before = desk.desktop.notifications.shown.mark;
  await run.result('call', 'local-send', { accountId, text: 'a word that only the two of us know' });
  const told = await desk.desktop.notifications.shown.next(() => true, 'the notification', { from: before });
  expect(told.title).toBe('A message from Local chat expired');
  expect(told.body).toBe('No agent took it in time.');

  desk.desktop.clickNotification(told.id);
  const page = await run.page();
  await expect.poll(() => page.url()).toContain(`#/messages/${accountId}`);
  expect(desk.desktop.notifications.shown.since(before)).toHaveLength(1);
});

it('shows the text of an expired message to who chose that, and nothing to who switched it off', async () => {
  const accountId = await signedIn();
  await run.result('shell', 'set-preferences', { notificationText: true });
  let before = desk.desktop.notifications.shown.mark;
  await run.result('call', 'local-send', { accountId, text: 'shown on purpose' });
  const told = await desk.desktop.notifications.shown.next(() => true, 'the notification', { from: before });
  expect(told.body).toBe('shown on purpose');

  await run.result('shell', 'set-preferences', { notifyExpired: false });
  before = desk.desktop.notifications.shown.mark;
  await run.result('call', 'local-send', { accountId, text: 'not told of' });
  await expect
    .poll(async () => (await run.result<{ messages: unknown[] }>('call', 'ended', { accountId })).messages.length)
    .toBe(3);
  expect(desk.desktop.notifications.shown.since(before)).toHaveLength(0);
});

it('closes to the tray once there is one', async () => {
  await desk.desktop.showTray();
  await run.closeWindow();
  await expect.poll(() => run.windows()).toMatchObject({ all: 0 });
  await desk.desktop.choose('Open xAgent Connector');
  await expect.poll(() => run.windows()).toMatchObject({ all: 1 });
  expect((await run.state()).shell.tray).toBe('shown');
});

async function signedIn(authSessionId?: string): Promise<string> {
  if (authSessionId !== undefined) {
    const params = { connector: 'local', authSessionId };
    await expect.poll(async () => (await run.result('call', 'sign-in-state', params))['status']).toBe('authenticated');
  }
  const { host } = await run.state();
  if (host.stage !== 'running') throw new Error('the host does not run');
  return host.snapshot.connectors[0]!.accounts[0]!.accountId;
}
