import { expect, it } from 'vitest';
import { pendingMessage } from './fixtures/messages.js';
import { allWell, snapshot } from './fixtures/snapshot.js';
import { busy, messageAnswers, messagesCases } from './states/messages.js';
import { running } from './fixtures/window-state.js';
import { NARROW } from './support/open-window.js';
import { windowSuite } from './support/suite.js';
import { result, type WindowCase } from './support/window-case.js';

const suite = windowSuite();

function caseOf(name: string): WindowCase {
  return messagesCases.find((one) => one.name === name)!;
}

it('lists what waits per account, oldest first, and offers a retry only where a timer runs', async () => {
  const { page } = await suite.open({
    ...caseOf('waiting'),
    answers: {
      ...messageAnswers,
      'pending acc_telegram': result({
        messages: [
          pendingMessage('young', 3, { kind: 'video', preview: '', length: 0 }),
          pendingMessage('old', 22, { lastError: 'ack_timeout', attempts: 6 }),
        ],
      }),
    },
  });
  const rows = page.locator('tbody').first().locator('tr:not(.grp)');
  await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(2);
  expect(await rows.nth(0).innerText()).toContain('Not confirmed in time. Next try in 18');
  expect(await rows.nth(1).innerText()).toContain('Behind an older message');
  expect(
    await rows
      .nth(0)
      .getByRole('button', { name: /Retry now/ })
      .count(),
  ).toBe(1);
  expect(
    await rows
      .nth(1)
      .getByRole('button', { name: /Retry now/ })
      .count(),
  ).toBe(0);
});

it('names an account beside its network, and its network once', async () => {
  const { page } = await suite.open(caseOf('waiting'));
  const heads = page.locator('tr.grp');
  await expect.poll(() => heads.nth(1).innerText()).toMatch(/^\s*Feishu cli_a1f4\*\*\*c09e\s+· 1 waiting$/);
  expect(await heads.nth(0).innerText()).toContain('Telegram @plum_home_bot · Ada');
});

it('keeps its title in one piece in a narrow window: the buttons beside it go below', async () => {
  const { page } = await suite.open(caseOf('waiting'), NARROW);
  await page.getByRole('button', { name: 'Pause delivery' }).waitFor();
  const title = await page.locator('h1').boundingBox();
  expect(title!.height).toBeLessThan(32);
  expect(title!.width).toBeGreaterThan(140);
});

it('gives a text that is shown more room than the reason beside it', async () => {
  const { page } = await suite.open(caseOf('text'));
  const text = page.locator('.words').first();
  await text.waitFor();
  expect((await text.boundingBox())!.width).toBeGreaterThan(220);
});

it('leads to a first account while there is none', async () => {
  const { page } = await suite.open(caseOf('fresh'));
  const link = page.getByRole('tabpanel').getByRole('link', { name: 'Connect account' });
  expect(await link.getAttribute('href')).toBe('#/accounts/connect');
});

it('retries an account from its row, and every account that waits from the heading', async () => {
  const window = await suite.open(caseOf('waiting'));
  await window.page.getByRole('button', { name: /Retry now, File from Feishu/ }).click();
  await expect.poll(() => window.callsOf('retry')).toEqual([{ accountId: 'acc_feishu' }]);
  await window.page.getByRole('button', { name: 'Retry all now' }).click();
  await expect
    .poll(() => window.callsOf('retry'))
    .toEqual([{ accountId: 'acc_feishu' }, { accountId: 'acc_telegram' }, { accountId: 'acc_feishu' }]);
});

it('asks before it discards, with the safe button first, and does nothing when the message is kept', async () => {
  const window = await suite.open(caseOf('discard'));
  const dialog = window.page.getByRole('alertdialog');
  expect(await dialog.innerText()).toContain('Your agent will never see it');
  expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Keep it', 'Discard']);
  await window.page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await window.callsOf('discard')).toEqual([]);
  await window.page.locator('.acts-cell .btn').nth(1).click();
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await window.callsOf('discard')).toEqual([{ accountId: 'acc_telegram', messageId: 'm1' }]);
});

it('lets the question whether to discard stand when the message goes, and asks it no second time', async () => {
  const window = await suite.open(caseOf('discard'));
  const dialog = window.page.getByRole('alertdialog');
  await dialog.waitFor();
  await window.push(running(snapshot(allWell())));
  await window.page.getByText('Nothing is held up.').waitFor();
  await dialog.getByRole('button', { name: 'Keep it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await window.push(running(busy));
  await window.page.getByText('Behind an older message').first().waitFor();
  expect(await dialog.count()).toBe(0);
});

it('shows no word of a message until it is asked to, and all of one that was cut', async () => {
  const window = await suite.open(caseOf('waiting'));
  const row = window.page.locator('tbody').first().locator('tr:not(.grp)').first();
  await row.waitFor();
  expect(await window.page.getByText('landlord').count()).toBe(0);
  await window.page.getByRole('switch', { name: 'Show text' }).click();
  expect(await window.callsOf('set-preferences')).toEqual([{ showMessageText: true }]);
  const state = running(busy);
  await window.push({
    ...state,
    shell: { ...state.shell, preferences: { ...state.shell.preferences, language: 'en', showMessageText: true } },
  });
  await row.getByRole('button', { name: 'Show all' }).click();
  await row.getByText('let the fitter in').waitFor();
  expect(await window.callsOf('preview')).toEqual([{ accountId: 'acc_telegram', messageId: 'm1' }]);
});

it('says in a sentence what the plot draws', async () => {
  const { page } = await suite.open(caseOf('waiting'));
  const plot = page.locator('svg.chart');
  await plot.waitFor();
  expect(await plot.getAttribute('aria-label')).toBe(
    'Last 24 hours, half an hour a bar: 235 in, 264 out. At most 6 were waiting, at 12:30. 4 are waiting now.',
  );
});

it('moves between its lists by arrow keys', async () => {
  const { page } = await suite.open(caseOf('waiting'));
  await page.getByRole('tab', { name: /Waiting/ }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('Expired. No agent took it in time.').waitFor();
  expect(await page.getByRole('tab', { name: /Failed or expired/ }).getAttribute('aria-selected')).toBe('true');
});

it('keeps the last good list when the host refuses, and reads again when it is asked to', async () => {
  const window = await suite.open(caseOf('error'));
  await window.page.getByText('The queue can’t be read right now.').waitFor();
  for (const [command, answer] of Object.entries(messageAnswers)) await window.answer(command, answer);
  await window.answer('pending', result({ messages: [] }));
  await window.answer('ended', result({ messages: [] }));
  await window.page.getByRole('button', { name: 'Try again' }).click();
  await window.page.getByText('Behind an older message').first().waitFor();
  expect(await window.page.getByText('The queue can’t be read right now.').count()).toBe(0);
});

it('shows answers that wait for their network, and lets one be discarded', async () => {
  const window = await suite.open(caseOf('held'));
  await window.page.getByText('2 answers wait for their network.').waitFor();
  expect(await window.page.getByRole('tab', { name: 'Waiting' }).innerText()).toMatch(/2$/);
  await window.page.getByText('WeChat takes no more answers until you write').waitFor();
  expect(await window.page.getByText('Nothing is held up.').count()).toBe(0);
  await window.page.getByRole('button', { name: /Discard, Answer, 310 characters/ }).click();
  await window.page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => window.callsOf('discard')).toEqual([{ accountId: 'acc_wechat', messageId: 'h1' }]);
});
