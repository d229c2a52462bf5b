import { describe, expect, it } from 'vitest';
import { account, waiting } from './fixtures/accounts.js';
import { snapshot } from './fixtures/snapshot.js';
import { running } from './fixtures/window-state.js';
import { accountsCases } from './states/accounts.js';
import { shellCases } from './states/shell.js';
import { AT_FIRST } from './support/open-window.js';
import { windowSuite } from './support/suite.js';
import { MINUTE, NOW, refusal, SECOND, type WindowCase } from './support/window-case.js';

const suite = windowSuite();
const caseOf = (name: string): WindowCase => accountsCases.find((one) => one.name === name)!;

describe('an account', () => {
  it('says its state, its next step and its proof', async () => {
    const { page } = await suite.open(caseOf('mixed'));
    const rows = page.getByRole('article');
    expect(await rows.count()).toBe(5);
    const telegram = await rows.nth(1).innerText();
    expect(telegram).toContain('Another program has been reading this bot since 14:02.');
    expect(telegram).toContain('32\u00a0min ago');
    expect(telegram).toContain('3 · oldest 54\u00a0min');
    expect(await rows.nth(1).getByRole('img').getAttribute('aria-label')).toBe('No answer for the last 26 minutes');
    expect(await rows.nth(0).innerText()).toContain('Thinking · 8\u00a0s');
    expect(await rows.nth(2).innerText()).toContain('web_search · 3\u00a0s');
    expect(await rows.nth(0).getByRole('img', { name: '7 of 10 replies left' }).count()).toBe(1);
  });

  it('of the local chat that nobody named says its network once', async () => {
    const unnamed = account('local', { displayName: 'Local chat', accountHint: 'Local chat' });
    const { page } = await suite.open({ ...caseOf('well'), state: running(snapshot({ local: [unnamed] })) });
    await page.getByRole('article', { name: 'Local chat', exact: true }).waitFor();
  });

  it('names the proxy that keeps it from its network', async () => {
    const { page } = await suite.open(caseOf('proxy-down'));
    const telegram = await page.getByRole('article').nth(1).innerText();
    expect(telegram).toContain('Can’t reach the proxy proxy.example.net:8080, which leads to Telegram.');
  });

  it('counts its ages and its next try every second', async () => {
    const { page } = await suite.open(caseOf('mixed'));
    const xmpp = page.getByRole('article').nth(3);
    await xmpp.getByText('Next try in 24\u00a0s.').waitFor();
    await page.clock.setFixedTime(NOW + 4 * SECOND);
    await xmpp.getByText('Next try in 20\u00a0s.').waitFor();
    await page.getByText('13\u00a0s ago').waitFor();
  });

  it('stands still while the window is hidden', async () => {
    const { page } = await suite.open(caseOf('mixed'));
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.clock.setFixedTime(NOW + 10 * MINUTE);
    await page.waitForTimeout(2200);
    await page.getByText('9\u00a0s ago').first().waitFor();
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await page.getByText('10\u00a0min ago').first().waitFor();
  });

  it('is tried again at once when the person asks, and tells how to solve what they must solve', async () => {
    const window = await suite.open(caseOf('mixed'));
    const { page } = window;
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByRole('button', { name: 'Check again' }).click();
    expect(await window.callsOf('reconnect')).toEqual([{ accountId: 'acc_xmpp' }, { accountId: 'acc_telegram' }]);
    await page.getByRole('button', { name: 'How to fix' }).click();
    await page.getByText('A bot can be read by one program at a time.').waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    expect(await page.getByText('A bot can be read').count()).toBe(0);
  });

  it('leads to signing in again where that is what helps', async () => {
    const { page } = await suite.open(caseOf('signed-out'));
    await page.getByRole('link', { name: 'Scan again' }).click();
    expect(new URL(page.url()).hash).toBe('#/accounts/connect/wechat');
  });

  it('never says that an agent is connected while none can reach the port', async () => {
    const state = running(
      snapshot(
        { telegram: [account('telegram', waiting(1, MINUTE))] },
        { server: { state: 'port_taken', port: 19080, holder: undefined, suggestedPort: undefined, since: NOW } },
      ),
    );
    const { page } = await suite.open({ ...caseOf('port-taken'), state });
    expect(await page.getByText('Not connected').count()).toBe(1);
    expect(await page.getByText('Connected · idle').count()).toBe(0);
    expect(await page.getByText('Another program is using it.').count()).toBe(1);
  });
});

describe('the heading', () => {
  it.each([
    [shellCases, 'disk-full', 'Your account is not receiving.'],
    [accountsCases, 'replies', 'Both accounts are receiving.'],
    [accountsCases, 'proxy-down', '1 of 5 is receiving.'],
    // Accounts that were open before the keychain was locked go on.
    [shellCases, 'browser', '1 of 2 is receiving. Telegram needs you.'],
    [shellCases, 'passphrase', 'Nothing can be received until the encrypted file is open.'],
  ] as const)('tells how many receive (%#)', async (cases, name, said) => {
    const { page } = await suite.open(cases.find((one) => one.name === name)!);
    await page.locator('.head').getByText(said, { exact: true }).waitFor();
  });
});

it('counts one account as a person would, in Chinese too', async () => {
  const { page } = await suite.open(
    { ...caseOf('well'), state: running(snapshot({ wechat: [account('wechat')] })) },
    { ...AT_FIRST, language: 'zh' },
  );
  await page.locator('.head').getByText('你的账号在正常接收。', { exact: true }).waitFor();
});

it('names the encrypted file where that is what is locked', async () => {
  const { page } = await suite.open(shellCases.find(({ name }) => name === 'passphrase')!);
  await page.getByText('Sign-in is locked in the encrypted file.').first().waitFor();
});

it('says what opens the replies again', async () => {
  const { page } = await suite.open(caseOf('replies'));
  await page.getByText('3 held until you write').waitFor();
  expect(await page.locator('.gauge').count()).toBe(1);
});

describe('its menu', () => {
  it('opens and is walked by keys, and Esc gives the focus back', async () => {
    const { page } = await suite.open(caseOf('well'));
    const button = page.getByRole('button', { name: 'More for WeChat, 小满' });
    await button.focus();
    await page.keyboard.press('Enter');
    const focused = (): Promise<string> => page.evaluate(() => document.activeElement?.textContent.trim() ?? '');
    await expect.poll(focused).toBe('Copy base URL');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Sign out…');
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Deliver as set for its network');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('menu').count()).toBe(0);
    expect(await button.evaluate((node) => node === document.activeElement)).toBe(true);
  });

  it('signs out only after it asked, keeps on Esc, and says why when it can’t', async () => {
    const window = await suite.open({ ...caseOf('sign-out'), answers: { 'sign-out': [refusal('unknown_account')] } });
    const { page } = window;
    const dialog = page.getByRole('alertdialog');
    await page.keyboard.press('Escape');
    await expect.poll(() => dialog.count()).toBe(0);
    expect(await window.callsOf('sign-out')).toEqual([]);
    await page.getByRole('button', { name: 'More for Telegram, @plum_home_bot' }).click();
    await page.getByRole('menuitem', { name: 'Sign out…' }).click();
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await dialog.getByText('This account is no longer there.').waitFor();
    await window.answer('sign-out', { result: {} });
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Signed out of Telegram.').waitFor();
    expect(await window.callsOf('sign-out')).toEqual([{ accountId: 'acc_telegram' }, { accountId: 'acc_telegram' }]);
  });

  it('copies the base URL and says where messages go from now on', async () => {
    const window = await suite.open(caseOf('well'));
    const { page } = window;
    await page.getByRole('button', { name: 'More for XMPP, otter@example.org' }).click();
    await page.getByRole('menuitem', { name: 'Copy base URL' }).click();
    await page.getByText('Base URL copied.').waitFor();
    expect(await window.callsOf('copy-text')).toEqual([{ text: 'http://127.0.0.1:19080/xmpp' }]);
    await page.getByRole('button', { name: 'More for XMPP, otter@example.org' }).click();
    await page.getByRole('menuitemradio', { name: 'Deliver to the AgentServer' }).click();
    await page.getByText('Messages of this account go to the AgentServer now.').waitFor();
    expect(await window.callsOf('set-deliver-to')).toEqual([{ accountId: 'acc_xmpp', upstream: 'agentServer' }]);
  });
});

it('fits five accounts at 960 by 680 without scrolling', async () => {
  const { page } = await suite.open(caseOf('mixed'));
  expect(await page.locator('.body').evaluate((body) => body.scrollHeight <= body.clientHeight)).toBe(true);
});

it('offers the ways in while nothing is connected', async () => {
  const { page } = await suite.open(caseOf('empty'));
  await page.getByRole('link', { name: /Telegram/ }).click();
  await page.getByRole('heading', { name: 'Connect Telegram' }).waitFor();
});
