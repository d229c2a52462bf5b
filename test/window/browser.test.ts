import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { allWell, snapshot } from './fixtures/snapshot.js';
import { launchBrowser } from './support/open-window.js';
import { UiServer } from './support/ui-server.js';

let browser: Browser;
let context: BrowserContext;
let server: UiServer;
let page: Page;
/** What the page says beyond what a refused connection prints by itself. */
const complaints: string[] = [];

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
  complaints.length = 0;
  server = await UiServer.start(inject('page'), snapshot(allWell()), {
    'sign-out': { code: 'unknown_account', message: 'there is no such account' },
  });
  context = await browser.newContext({ locale: 'en-GB', permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/WebSocket|Failed to load resource/.test(message.text()))
      complaints.push(message.text());
  });
});

afterEach(async () => {
  await context.close();
  await server.close();
  expect(complaints).toEqual([]);
});

async function openByLink(): Promise<void> {
  server.tokens.add('once');
  await page.goto(`${server.url}#token=once`);
  await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor();
}

it('takes a link once, takes its token out of the address, and then lives by the session', async () => {
  await openByLink();
  expect(page.url()).toBe(server.url);
  expect(await page.evaluate(() => history.length)).toBe(2);
  await page.reload();
  await page.getByText('All 5 are receiving.').waitFor();
});

it('says how to get a fresh link when it has no session, or a link that was used', async () => {
  await page.goto(server.url);
  await page.getByRole('heading', { name: 'Open it with a fresh link' }).waitFor();
  expect(await page.locator('code').innerText()).toBe('node dist/cli.js ui');
  await page.goto('about:blank');
  await page.goto(`${server.url}#token=used`);
  await page.getByRole('heading', { name: 'Open it with a fresh link' }).waitFor();
  expect(page.url()).not.toContain('used');
});

it('takes a fresh link that is pasted into the address of the page that asked for one', async () => {
  await page.goto(server.url);
  await page.getByRole('heading', { name: 'Open it with a fresh link' }).waitFor();
  server.tokens.add('fresh');
  await page.goto(`${server.url}#token=fresh`);
  await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor();
  expect(page.url()).toBe(server.url);
});

it('goes on by its session when a link is followed again', async () => {
  await openByLink();
  await page.goto('about:blank');
  await page.goto(`${server.url}#token=once`);
  await page.getByText('All 5 are receiving.').waitFor();
});

it('says so when the session ends while it is open', async () => {
  await openByLink();
  server.endSession();
  await page.getByRole('heading', { name: 'Open it with a fresh link' }).waitFor({ timeout: 20_000 });
});

it('gives commands over the socket, shows what changed, and says in words what was refused', async () => {
  await openByLink();
  await page.getByRole('button', { name: 'Pause delivery' }).click();
  await expect.poll(() => server.requests).toEqual([{ id: 1, command: 'pause', params: { paused: true } }]);
  server.push(snapshot(allWell(), { paused: true }));
  await page.getByText('Delivery is paused. New messages are kept.').waitFor();
  await page.getByRole('button', { name: /^More for WeChat/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out…' }).click();
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByText('This account is no longer there.').waitFor();
});

it('keeps what it last knew while the host is out of reach, and goes on by itself', async () => {
  await openByLink();
  server.setReachable(false);
  await page.getByText('The connector is out of reach').waitFor();
  expect(await page.getByRole('article').count()).toBe(5);
  await page.getByRole('button', { name: /^More for Telegram/ }).click();
  await page.getByRole('menuitemradio', { name: 'Deliver to xAgent' }).click();
  await page.getByText('The connector is out of reach. Try again when it is back.').waitFor();
  server.setReachable(true);
  await page.getByText('All 5 are receiving.').waitFor({ timeout: 30_000 });
  expect(await page.getByText('The connector is out of reach', { exact: true }).count()).toBe(0);
});

it('does not trust a line on which nobody answers, though nothing closed it', async () => {
  await page.clock.install();
  await openByLink();
  await page.getByText('All 5 are receiving.').waitFor();
  // Somebody who has nothing to say is there all the same.
  await page.clock.runFor(60_000);
  await page.getByText('All 5 are receiving.').waitFor();
  server.setSilent(true);
  await page.clock.runFor(35_000);
  await page.getByText('The connector is out of reach').waitFor();
  server.setSilent(false);
  await expect
    .poll(async () => {
      await page.clock.runFor(10_000);
      return page.getByText('All 5 are receiving.').count();
    })
    .toBe(1);
});

it('copies by itself, and leaves to the desktop app what only that can do', async () => {
  await openByLink();
  await page.getByRole('button', { name: /^More for XMPP/ }).click();
  await page.getByRole('menuitem', { name: 'Copy base URL' }).click();
  await page.getByText('Base URL copied.').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('http://127.0.0.1:19080/xmpp');
});

it('says so where the browser does not let it copy, instead of naming a log that knows nothing of it', async () => {
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await openByLink();
  await page.getByRole('button', { name: /^More for XMPP/ }).click();
  await page.getByRole('menuitem', { name: 'Copy base URL' }).click();
  await page.getByText('The browser doesn’t let this page copy. Select the text and copy it yourself.').waitFor();
});

it('speaks the language of the browser until the person chooses', async () => {
  await context.close();
  context = await browser.newContext({ locale: 'zh-CN' });
  page = await context.newPage();
  server.tokens.add('once');
  await page.goto(`${server.url}#token=once`);
  await page.getByRole('heading', { name: '账号', exact: true }).waitFor();
});

it('goes through the first start where another window left it, and is done with it for all', async () => {
  server.push(snapshot({}, { onboarding: 'account' }));
  server.tokens.add('once');
  await page.goto(`${server.url}#token=once`);
  await page.getByRole('heading', { name: 'Connect a chat' }).waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Tell your agent where to connect' }).waitFor();
  server.push(snapshot({}, { onboarding: 'done' }));
  await page.getByRole('heading', { name: 'Accounts', exact: true }).waitFor();
  expect(server.requests).toEqual([{ id: 1, command: 'set-onboarding', params: { step: 'agent' } }]);
});
