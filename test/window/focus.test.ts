import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { account } from './fixtures/accounts.js';
import { pendingMessage } from './fixtures/messages.js';
import { allWell, snapshot } from './fixtures/snapshot.js';
import { running } from './fixtures/window-state.js';
import { accountsCases } from './states/accounts.js';
import { busy, messagesCases } from './states/messages.js';
import { windowSuite } from './support/suite.js';
import { refusal, result, type WindowCase } from './support/window-case.js';

const suite = windowSuite();
const caseOf = (list: readonly WindowCase[], name: string): WindowCase => list.find((one) => one.name === name)!;
/** What a reader would call that has the focus; its first words where nothing names it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

describe('a button', () => {
  it('keeps the focus while what it does is under way, and does nothing a second time', async () => {
    const window = await suite.open({ ...caseOf(accountsCases, 'mixed'), answers: { reconnect: 'later' } });
    const { page } = window;
    const button = page.getByRole('button', { name: 'Try now' });
    await button.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('Try now');
    await window.answer('reconnect', result());
    await expect.poll(() => button.getAttribute('aria-disabled')).toBeNull();
    expect(await focused(page)).toBe('Try now');
    expect(await window.callsOf('reconnect')).toHaveLength(1);
  });

  it('of a form is not pressed a second time by Enter in a field', async () => {
    const locked = { stage: 'failed', code: 'passphrase_needed', message: '', since: 0 } as const;
    const state = { ...running(snapshot({})), host: locked };
    const window = await suite.open({
      ...caseOf(accountsCases, 'mixed'),
      state,
      answers: { 'use-secret-file': 'later' },
    });
    await window.page.getByRole('button', { name: 'Enter passphrase…' }).click();
    await window.page.getByLabel('Passphrase', { exact: true }).fill('correct horse');
    await window.page.keyboard.press('Enter');
    await expect.poll(() => window.callsOf('use-secret-file')).toHaveLength(1);
    await window.page.keyboard.press('Enter');
    expect(await window.callsOf('use-secret-file')).toHaveLength(1);
    await window.answer('use-secret-file', refusal('passphrase_wrong'));
    await window.page.getByText('This isn’t the passphrase of the file.').waitFor();
    expect(await focused(window.page)).toBe('');
  });
});

describe('what leaves the page', () => {
  it('hands the focus of a message to the one after it, and of the last one to the heading', async () => {
    const window = await suite.open(caseOf(messagesCases, 'waiting'));
    const { page } = window;
    const telegram = busy.connectors.find(({ name }) => name === 'telegram')!.accounts[0]!;
    const left = async (n: number): Promise<void> => {
      const messages = Array.from({ length: n }, (_, index) => pendingMessage(`m${index + 4 - n}`, 20 - n));
      await window.answer('pending acc_telegram', result({ messages }));
      const queue = { ...telegram.queue, pending: n };
      await window.push(running(snapshot(allWell({ telegram: [{ ...telegram, queue }] }))));
    };
    await page.getByRole('button', { name: /^Discard, Text, 310 characters from Telegram/ }).focus();
    await left(2);
    await expect.poll(() => focused(page)).toMatch(/^Discard, Text, 42 characters from Telegram/);
    await left(0);
    await expect.poll(() => focused(page)).toBe('Messages');
  });

  it('hands the focus of an account that was signed out to the one beside it, though a question about it was open', async () => {
    const window = await suite.open({ ...caseOf(accountsCases, 'well'), answers: { 'sign-out': 'later' } });
    const { page } = window;
    await page.getByRole('button', { name: /^More for Telegram/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out…' }).click();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await window.push(running(snapshot(allWell({ telegram: [] }))));
    await expect.poll(() => focused(page)).toMatch(/^More for Feishu/);
    expect(await page.getByRole('alertdialog').count()).toBe(0);
  });

  it('hands the focus of a banner to the heading, and takes it from nothing that has it', async () => {
    const window = await suite.open({
      ...caseOf(accountsCases, 'well'),
      state: running(snapshot(allWell(), { paused: true })),
    });
    const { page } = window;
    await page.getByRole('button', { name: 'Resume', exact: true }).focus();
    await window.push(running(snapshot(allWell())));
    await expect.poll(() => focused(page)).toBe('Accounts');
    const more = page.getByRole('button', { name: /^More for WeChat/ });
    await more.focus();
    await window.push(running(snapshot({ wechat: [account('wechat')] })));
    await expect.poll(() => page.getByRole('article').count()).toBe(1);
    expect(await focused(page)).toMatch(/^More for WeChat/);
  });
});
