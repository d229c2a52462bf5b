import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { holdsOf } from '../support/page-holds.js';
import { account } from './fixtures/accounts.js';
import { allWell, snapshot } from './fixtures/snapshot.js';
import { running, withHost } from './fixtures/window-state.js';
import { accountsCases } from './states/accounts.js';
import { messageAnswers } from './states/messages.js';
import { QUESTION, shellCases } from './states/shell.js';
import { NARROW } from './support/open-window.js';
import { windowSuite } from './support/suite.js';
import { MINUTE, NOW, refusal, result, SECOND, type WindowCase } from './support/window-case.js';

const suite = windowSuite();
const caseOf = (list: readonly WindowCase[], name: string): WindowCase => list.find((one) => one.name === name)!;
const well = caseOf(accountsCases, 'well');
const focused = (page: Page): Promise<string> => page.evaluate(() => document.activeElement?.textContent ?? '');
const announced = (page: Page): Promise<string> =>
  page.evaluate(() => document.querySelector('[data-live]')?.textContent.trim() ?? '');

describe('keys', () => {
  it('give the heading the focus after a change of view, by Ctrl and a digit as by a link', async () => {
    const { page } = await suite.open({ ...well, answers: messageAnswers });
    await page.keyboard.press('Control+2');
    await expect.poll(() => focused(page)).toBe('Messages');
    expect(new URL(page.url()).hash).toBe('#/messages');
    await page.locator('.nav a').nth(3).click();
    await expect.poll(() => focused(page)).toBe('Agent');
    await page.keyboard.press('Control+1');
    await expect.poll(() => focused(page)).toBe('Accounts');
  });

  it('move between side bar and content by F6', async () => {
    const { page } = await suite.open(well);
    await page.keyboard.press('F6');
    expect(await focused(page)).toContain('Accounts');
    expect(await page.evaluate(() => document.activeElement?.closest('.side') !== null)).toBe(true);
    await page.keyboard.press('F6');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
  });

  it('reach everything in the order of reading: side bar, heading action, rows', async () => {
    const { page } = await suite.open(caseOf(accountsCases, 'mixed'));
    const order: string[] = [];
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    for (let presses = 0; presses < 14; presses += 1) {
      await page.keyboard.press('Tab');
      order.push(
        await page.evaluate(() => {
          const at = document.activeElement;
          return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
        }),
      );
    }
    expect(order.map((text) => text.replace(/\s+/g, ' '))).toEqual([
      'Accounts1 needs you',
      'Messages44 messages wait',
      'Chat',
      'Agent',
      'Settings',
      'Pause delivery',
      'Connect account',
      'Content',
      'More for WeChat, 小满',
      'Check again',
      'How to fix',
      'More for Telegram, @plum_home_bot',
      'More for Feishu, cli_a1f4***c09e',
      'Try now',
    ]);
  });

  it('leave a dialog by Esc and give the focus back to what opened it', async () => {
    const { page } = await suite.open(caseOf(shellCases, 'keychain-failed'));
    const other = page.getByRole('button', { name: 'Other ways…' });
    await other.click();
    await page.getByRole('alertdialog').waitFor();
    expect(await page.evaluate(() => document.activeElement?.closest('dialog') !== null)).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('alertdialog').count()).toBe(0);
    expect(await focused(page)).toBe('Other ways…');
  });
});

describe('banners', () => {
  it('tell of a damaged store until they are closed, in every view', async () => {
    const { page } = await suite.open({ ...caseOf(shellCases, 'store-damaged'), answers: messageAnswers });
    const banner = page.getByRole('alert').filter({ hasText: 'The message store was damaged' });
    await page.keyboard.press('Control+2');
    await banner.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('Control+1');
    await expect.poll(() => focused(page)).toBe('Accounts');
    expect(await banner.count()).toBe(0);
  });

  it('say who has the port, move to another by one command, and try the same again', async () => {
    const window = await suite.open(caseOf(accountsCases, 'port-taken'));
    const banner = window.page.getByRole('alert');
    expect(await banner.innerText()).toContain('“node” (process 48213) is using it.');
    await banner.getByRole('button', { name: 'Use 19081' }).click();
    await banner.getByRole('button', { name: 'Try again' }).click();
    expect(await window.callsOf('set-settings')).toEqual([{ port: 19081 }]);
    expect(await window.callsOf('retry-port')).toEqual([{}]);
    expect(await window.page.getByText('idle').count()).toBe(0);
  });

  it('ask for the digits of a sign-in that an agent began, without taking the focus, and hand them over', async () => {
    const window = await suite.open(caseOf(shellCases, 'agent-asks'));
    const { page } = window;
    const banner = page.locator('.banner', { hasText: 'Your agent is connecting WeChat' });
    const field = banner.getByLabel('Digits on your phone');
    expect(await field.evaluate((at) => at === document.activeElement)).toBe(false);
    await field.fill('4071');
    await banner.getByRole('button', { name: 'Continue' }).click();
    await expect
      .poll(() => window.callsOf('sign-in-input'))
      .toEqual([{ connector: 'wechat', authSessionId: QUESTION.authSessionId, input: { verify_code: '4071' } }]);
    await expect.poll(() => holdsOf(page)).not.toContain('4071');
  });

  it('ask the keychain again and say when it is still locked', async () => {
    const window = await suite.open({
      ...caseOf(accountsCases, 'locked'),
      answers: { 'check-secrets': result({ kind: 'keychain', state: 'locked', since: NOW }) },
    });
    await window.page.getByRole('button', { name: 'Unlock…' }).click();
    await window.page.getByText('The keychain is still locked.').waitFor();
  });

  it('tell a browser how an encrypted file is chosen, where it can not choose it itself', async () => {
    const window = await suite.open(caseOf(shellCases, 'keychain-absent-browser'));
    await window.page.getByText('XAGENT_CONNECTOR_PASSPHRASE').waitFor();
    expect(await window.page.getByRole('button', { name: 'Other ways…' }).count()).toBe(0);
  });

  it('take weaker storage only with consent and a passphrase typed twice', async () => {
    const window = await suite.open(caseOf(shellCases, 'keychain-failed'));
    const { page } = window;
    await page.getByRole('button', { name: 'Other ways…' }).click();
    const dialog = page.getByRole('alertdialog');
    const use = dialog.getByRole('button', { name: 'Use an encrypted file' });
    await dialog.getByLabel('Passphrase', { exact: true }).fill('correct horse');
    await dialog.getByLabel('The same passphrase once more').fill('correct house');
    await use.click();
    await dialog.getByText('These two differ.').waitFor();
    expect(await window.callsOf('use-secret-file')).toEqual([]);
    await dialog.getByLabel('The same passphrase once more').fill('correct horse');
    await use.click();
    await expect.poll(() => page.getByRole('alertdialog').count()).toBe(0);
    expect(await window.callsOf('use-secret-file')).toEqual([{ passphrase: 'correct horse' }]);
    expect(await holdsOf(page)).not.toContain('correct horse');
  });

  it('say that a passphrase is wrong and let the person try again', async () => {
    const window = await suite.open({
      ...caseOf(shellCases, 'host-needs-passphrase'),
      answers: { 'use-secret-file': [refusal('passphrase_wrong'), result()] },
    });
    const { page } = window;
    await page.getByRole('button', { name: 'Enter passphrase…' }).click();
    await page.getByLabel('Passphrase', { exact: true }).fill('not this one');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('This isn’t the passphrase of the file.').waitFor();
    await page.getByLabel('Passphrase', { exact: true }).fill('but this one');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    const held = await holdsOf(page);
    for (const passphrase of ['not this one', 'but this one']) expect(held).not.toContain(passphrase);
  });

  it('open a file that a host without a window made with a short passphrase', async () => {
    const window = await suite.open(caseOf(shellCases, 'host-needs-passphrase'));
    await window.page.getByRole('button', { name: 'Enter passphrase…' }).click();
    await window.page.getByLabel('Passphrase', { exact: true }).fill('short');
    await window.page.getByRole('button', { name: 'Open', exact: true }).click();
    await expect.poll(() => window.callsOf('use-secret-file')).toEqual([{ passphrase: 'short' }]);
  });

  it('start a failed host again, and offer what only the desktop can do to nobody else', async () => {
    const failed = {
      stage: 'failed',
      code: 'config_invalid',
      message: 'server.port must be a number',
      since: NOW,
    } as const;
    const window = await suite.open({ ...well, state: withHost(failed) });
    expect(await window.page.getByRole('alert').innerText()).toContain('server.port must be a number');
    await window.page.getByRole('button', { name: 'Start again' }).click();
    expect(await window.callsOf('restart-host')).toEqual([{}]);
    await window.page.getByRole('button', { name: 'Show the folder' }).click();
    expect(await window.callsOf('show-data-dir')).toEqual([{}]);
    await window.push(withHost(failed, { kind: 'browser' }));
    await expect.poll(() => window.page.getByRole('button', { name: 'Start again' }).count()).toBe(0);
    expect(await window.page.getByRole('button', { name: 'Show the folder' }).count()).toBe(0);
  });

  it('pause and resume delivery, in the foot and in the banner alike', async () => {
    const window = await suite.open(well);
    await window.page.getByRole('button', { name: 'Pause delivery' }).click();
    await window.push(running(snapshot(allWell(), { paused: true })));
    await window.page.getByRole('button', { name: 'Resume', exact: true }).click();
    expect(await window.callsOf('pause')).toEqual([{ paused: true }, { paused: false }]);
  });

  it('pause delivery in a narrow window, which has no foot, beside the messages that it keeps', async () => {
    const window = await suite.open({ ...well, answers: messageAnswers }, NARROW);
    const pause = window.page.getByRole('button', { name: 'Pause delivery' });
    expect(await pause.count()).toBe(0);
    await window.page.getByRole('link', { name: /^Messages/ }).click();
    await pause.click();
    expect(await window.callsOf('pause')).toEqual([{ paused: true }]);
  });
});

it('says why when what a banner offers was not done', async () => {
  const paused = running(snapshot(allWell(), { paused: true }));
  const window = await suite.open({ ...well, state: paused, answers: { pause: refusal('busy') } });
  await window.page.getByRole('button', { name: 'Resume', exact: true }).click();
  await window.page.getByText('Too much at once. Try again in a moment.').waitFor();
});

describe('a host out of reach', () => {
  const since = NOW - 2 * MINUTE;
  const last = snapshot(allWell({ wechat: [account('wechat', { lastRoundTripAt: since - 9 * SECOND })] }));
  const away = withHost({ stage: 'unreachable', last, since }, { kind: 'browser', tray: 'none' });

  it('is no reason to call anything well: what was heard last is told with its time, and grows no older', async () => {
    const { page } = await suite.open({ ...well, state: away });
    const row = page.getByRole('article').first();
    await row.getByText('At 14:32: Receiving.').waitFor();
    expect(await row.getByText(/ago$/).innerText()).toBe('9\u00a0s ago');
    expect(await page.locator('.main .st.is-ok').count()).toBe(0);
    await page.keyboard.press('Control+4');
    await page.getByRole('heading', { name: 'Connected now' }).waitFor();
    expect(await page.locator('.main .st.is-ok').count()).toBe(0);
    expect(await page.getByText('1 agent connected').count()).toBe(0);
    await page.keyboard.press('Control+3');
    await page.getByRole('heading', { name: 'Chat', exact: true }).waitFor();
    expect(await page.getByText('Agent connected').count()).toBe(0);
  });

  it('is told to those who listen', async () => {
    const window = await suite.open(well);
    // There before the banner is: what comes with its own region is not told.
    const heard = window.page.locator('.body > [aria-live=polite]').first();
    expect(await heard.innerText()).toBe('');
    await window.push(away);
    await expect.poll(() => heard.innerText()).toContain('The connector is out of reach');
  });
});

describe('what is told', () => {
  it('says where it stands why something was not done, in a dialog too, behind which the page is silent', async () => {
    const window = await suite.open({
      ...caseOf(shellCases, 'host-needs-passphrase'),
      answers: { 'use-secret-file': refusal('passphrase_wrong'), 'sign-out': refusal('internal_error') },
    });
    const { page } = window;
    // There before the sentence is: what comes with its own region is not told.
    const heard = page.locator('dialog [aria-live=polite]').first();
    await page.getByRole('button', { name: 'Enter passphrase…' }).click();
    await page.getByLabel('Passphrase', { exact: true }).fill('not this one');
    expect(await heard.innerText()).toBe('');
    await page.keyboard.press('Enter');
    await expect.poll(() => heard.innerText()).toContain('This isn’t the passphrase of the file.');
    await page.keyboard.press('Escape');
    await window.push(well.state);
    await page.getByRole('button', { name: /^More for WeChat/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out…' }).click();
    expect(await heard.innerText()).toBe('');
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await expect.poll(() => heard.innerText()).toContain('This didn’t work.');
  });

  it('says an account’s new sentence once it stayed for three seconds, and no flapping before', async () => {
    const window = await suite.open(well);
    const { page } = window;
    const broken = { status: 'offline', code: 'polled_elsewhere', since: NOW } as const;
    await window.push(running(snapshot(allWell({ telegram: [account('telegram', { state: broken })] }))));
    await window.push(running(snapshot(allWell())));
    await window.push(running(snapshot(allWell({ telegram: [account('telegram', { state: broken })] }))));
    expect(await announced(page)).toBe('');
    await expect.poll(() => announced(page)).toBe('Telegram: Another program has been reading this bot since 14:34.');
  });

  it('never says countdowns', async () => {
    const retrying = (retryAt: number): WindowCase['state'] =>
      running(
        snapshot(
          allWell({
            xmpp: [account('xmpp', { state: { status: 'offline', code: 'timeout', since: NOW - MINUTE, retryAt } })],
          }),
        ),
      );
    const window = await suite.open({ ...well, state: retrying(NOW + 20 * SECOND) });
    await window.push(retrying(NOW + 40 * SECOND));
    await window.page.waitForTimeout(3500);
    expect(await announced(window.page)).toBe('');
  });
});

it('follows the language and the theme of the person at once', async () => {
  const window = await suite.open(well);
  await window.show({ language: 'zh', theme: 'dark', width: 960, height: 680 });
  expect(await window.page.locator('h1').innerText()).toBe('账号');
  expect(await window.page.evaluate(() => document.documentElement.lang)).toBe('zh-CN');
  expect(await window.page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
});

it('has five labelled tabs at the bottom when it is narrow', async () => {
  const { page } = await suite.open(well, NARROW);
  const tabs = page.locator('.nav a');
  expect(await tabs.allInnerTexts()).toEqual(['Accounts', 'Messages', 'Chat', 'Agent', 'Settings']);
  const box = await page.locator('.side').boundingBox();
  expect(box!.y + box!.height).toBe(NARROW.height);
  for (const tab of await tabs.all()) expect((await tab.boundingBox())!.height).toBeGreaterThanOrEqual(24);
});

it('shows text of people as text and nothing else', async () => {
  const { page } = await suite.open({
    ...well,
    state: running(
      snapshot({ wechat: [account('wechat', { displayName: '<img src=x onerror="document.title=1">' })] }),
    ),
  });
  expect(await page.locator('.net').innerText()).toBe('<img src=x onerror="document.title=1">');
  expect(await page.locator('.acct img').count()).toBe(0);
  expect(await page.title()).toBe('xAgent Connector');
});
