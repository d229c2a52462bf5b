import { expect, it } from 'vitest';
import { running } from './fixtures/window-state.js';
import { snapshot } from './fixtures/snapshot.js';
import { account } from './fixtures/accounts.js';
import { answers, chatCases, fromAgent, fromPerson, reading, TALK } from './states/chat.js';
import { windowSuite } from './support/suite.js';
import { refusal, result, type WindowCase } from './support/window-case.js';

const suite = windowSuite();

function caseOf(name: string): WindowCase {
  return chatCases.find((one) => one.name === name)!;
}

const field = '.composer textarea';

it('opens a local chat with one click, and gives the name that was typed', async () => {
  const window = await suite.open({
    ...caseOf('pairing'),
    answers: { ...answers, 'sign-in': result({ status: 'authenticated', accountId: 'acc_local' }) },
  });
  await window.page.getByLabel('Your name').fill('  Ada ');
  await window.page.getByRole('button', { name: 'Open chat' }).click();
  await expect.poll(() => window.callsOf('sign-in')).toEqual([{ connector: 'local', input: { display_name: 'Ada' } }]);
  await window.push(running(snapshot({ local: [account('local')] })));
  await window.page.getByText('polite, asking about that').waitFor();
  expect(await window.page.evaluate(() => document.activeElement?.tagName)).toBe('TEXTAREA');
});

it('sends with Enter, begins a line with Shift+Enter, and leaves Enter to an input method that composes', async () => {
  const window = await suite.open({
    ...caseOf('talk'),
    answers: { ...answers, 'local-send': result({ messageId: 'm' }) },
  });
  const text = window.page.locator(field);
  await text.fill('one');
  await text.press('Shift+Enter');
  await text.pressSequentially('two');
  await text.evaluate((element) => {
    element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }));
  });
  expect(await window.callsOf('local-send')).toEqual([]);
  await text.press('Enter');
  await expect.poll(() => text.inputValue()).toBe('');
  expect(await window.callsOf('local-send')).toEqual([{ accountId: 'acc_local', text: 'one\ntwo', files: [] }]);
});

it('keeps what was written while the message before it was on its way', async () => {
  const window = await suite.open({ ...caseOf('talk'), answers: { ...answers, 'local-send': 'later' } });
  const { page } = window;
  const text = page.locator(field);
  await text.fill('The first.');
  await text.press('Enter');
  await text.pressSequentially(' The second.');
  await page.route('**/files?*', (route) => route.fulfill({ json: { token: 't1' } }));
  const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };
  await page.locator('input[type=file]').setInputFiles([note]);
  await page.getByText('ready').waitFor();
  await window.answer('local-send', result({ messageId: 'm' }));
  await expect.poll(() => text.inputValue()).toBe(' The second.');
  expect(await page.locator('.attachments .filechip').count()).toBe(1);
  await text.press('Enter');
  await expect.poll(() => text.inputValue()).toBe('');
  expect(await window.callsOf('local-send')).toEqual([
    { accountId: 'acc_local', text: 'The first.', files: [] },
    { accountId: 'acc_local', text: ' The second.', files: ['t1'] },
  ]);
});

it('keeps what was written when it was not taken, and while another view is looked at', async () => {
  const window = await suite.open({ ...caseOf('talk'), answers: { ...answers, 'local-send': refusal('queue_full') } });
  await window.page.locator(field).fill('Still here?');
  await window.page.locator(field).press('Enter');
  await window.page.getByText('Your text is still here.').waitFor();
  await window.page.getByRole('link', { name: /Agent/ }).click();
  await window.page.getByRole('link', { name: 'Chat' }).click();
  expect(await window.page.locator(field).inputValue()).toBe('Still here?');
});

it('shows an answer as it grows, with a caret, outside the log that readers hear', async () => {
  const window = await suite.open({
    ...caseOf('talk'),
    answers: { ...answers, 'local-read': reading([...TALK, fromAgent('a2', 0, 'Hel', { growing: true })], true) },
  });
  const growing = window.page.locator('.chat > .it');
  await growing.getByText('Hel', { exact: true }).waitFor();
  expect(await growing.locator('.caret').count()).toBe(1);
  expect(await window.page.getByRole('log').getByText('Hel', { exact: true }).count()).toBe(0);
  await window.answer('local-read', reading([fromAgent('a2', 0, 'Hello.')]));
  await window.page.getByRole('log').getByText('Hello.').waitFor();
  expect(await window.page.locator('.caret').count()).toBe(0);
});

it('says of each message whether the agent has it', async () => {
  const { page } = await suite.open(caseOf('away'));
  await page.getByText('Waits for an agent (up to 1').waitFor();
  await page.getByText('Expired: no agent took it in time').waitFor();
  await page.getByText('Agent has it').waitFor();
});

it('follows new messages only for who is at the end', async () => {
  const many = Array.from({ length: 40 }, (_, index) => fromPerson(`p${index}`, 60 - index, `Line ${index}`));
  const window = await suite.open({ ...caseOf('talk'), answers: { ...answers, 'local-read': reading(many) } });
  const log = window.page.locator('.chat');
  const fromEnd = (): Promise<number> =>
    log.evaluate((element) => Math.round(element.scrollHeight - element.scrollTop - element.clientHeight));
  await window.page.getByText('Line 39').waitFor();
  await expect.poll(fromEnd).toBeLessThan(2);
  await log.evaluate((element) => void element.scrollTo(0, 0));
  await window.page.getByRole('button', { name: 'Newest' }).waitFor();
  await window.answer('local-read', reading([fromAgent('new', 0, 'Something new')]));
  await window.push(running(snapshot({ local: [account('local')] }, { startedAt: 1 })));
  await window.page.getByText('Something new').waitFor();
  expect(await log.evaluate((element) => element.scrollTop)).toBe(0);
  await window.page.getByRole('button', { name: 'Newest' }).click();
  await expect.poll(fromEnd).toBeLessThan(2);
});

it('says where to drop files for as long as they are over the chat, whatever part of it', async () => {
  const { page } = await suite.open(caseOf('talk'));
  const drag = (...steps: readonly (readonly [type: string, selector: string])[]): Promise<void> =>
    page.evaluate((all) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['words'], 'a.txt'));
      for (const [type, selector] of all) {
        document.querySelector(selector)?.dispatchEvent(new DragEvent(type, { bubbles: true, dataTransfer }));
      }
    }, steps);
  const place = page.getByText('Drop files to send them');
  await drag(['dragenter', '.chat-room']);
  await place.waitFor();
  // One part is entered before the other is left, and nothing is drawn in between.
  await drag(['dragenter', '.chat'], ['dragleave', '.chat-room']);
  await drag(['dragover', '.chat']);
  expect(await place.count()).toBe(1);
  await drag(['dragleave', '.chat']);
  await expect.poll(() => place.count()).toBe(0);
});

it('uploads files beside the message, sends their tokens, and lets an upload be canceled', async () => {
  const window = await suite.open({
    ...caseOf('talk'),
    answers: { ...answers, 'local-send': result({ messageId: 'm' }) },
  });
  const { page } = window;
  const asked: string[] = [];
  await page.route('**/files?*', async (route) => {
    asked.push(new URL(route.request().url()).searchParams.get('name') ?? '');
    if (asked.length === 1) await route.fulfill({ json: { token: 't1' } });
  });
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('words') });
  await page.locator('input[type=file]').setInputFiles([file('a.txt'), file('b.txt')]);
  await page.getByText('ready').waitFor();
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Cancel upload of b.txt' }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => window.callsOf('local-send')).toEqual([{ accountId: 'acc_local', text: '', files: ['t1'] }]);
  expect(asked).toEqual(['a.txt', 'b.txt']);
});

it('links to the files of the chat beside the page', async () => {
  const { page } = await suite.open(caseOf('talk'));
  const link = page.getByRole('link', { name: 'Save comparison.csv' });
  expect(await link.getAttribute('href')).toBe('files/f2?account=acc_local');
});

it('says the largest file in the unit in which the limit is set', async () => {
  const { page } = await suite.open(caseOf('talk'));
  await page.getByText('Files up to 100\u00a0MB').waitFor();
});

it('keeps its end in sight while a longer message is written, and while the window grows smaller', async () => {
  const { page } = await suite.open(caseOf('talk'));
  const log = page.locator('.chat');
  await page.getByText('asking about that').last().waitFor();
  const below = (): Promise<number> =>
    log.evaluate(({ scrollHeight, scrollTop, clientHeight }) => Math.round(scrollHeight - scrollTop - clientHeight));
  await page.setViewportSize({ width: 960, height: 480 });
  await expect
    .poll(() => log.evaluate(({ clientHeight, scrollHeight }) => scrollHeight - clientHeight))
    .toBeGreaterThan(0);
  await expect.poll(below).toBeLessThan(2);
  await page.getByRole('textbox').fill('one\ntwo\nthree\nfour\nfive');
  await expect.poll(below).toBeLessThan(2);
});
