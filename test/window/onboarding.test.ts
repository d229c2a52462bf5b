import { expect, it } from 'vitest';
import { snapshot, withoutAgent } from './fixtures/snapshot.js';
import { atStep, onboardingCases } from './states/onboarding.js';
import { NARROW } from './support/open-window.js';
import { windowSuite } from './support/suite.js';
import { refusal, type WindowCase } from './support/window-case.js';

const suite = windowSuite();

function caseOf(name: string): WindowCase {
  return onboardingCases.find((one) => one.name === name)!;
}

it('goes on step by step, keeps where it is, and moves the focus to each heading', async () => {
  const window = await suite.open(caseOf('tray'));
  await window.page.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => window.callsOf('set-onboarding')).toEqual([{ step: 'account' }]);
  const next = atStep('account', withoutAgent({}));
  await window.push(next);
  await window.page.getByRole('heading', { name: 'Connect a chat' }).waitFor();
  expect(await window.page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
});

it('is gone when it is done or skipped', async () => {
  const window = await suite.open(caseOf('agent'));
  await window.page.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => window.callsOf('set-onboarding')).toEqual([{ step: 'done' }]);
  await window.push(atStep('done', snapshot({})));
  await window.page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(await window.page.locator('.ob').count()).toBe(0);
});

it('leads to the sign-in of a network, and back from there', async () => {
  const { page } = await suite.open(caseOf('account'));
  await page.getByRole('link', { name: /Telegram/ }).click();
  await page.getByText('Set-up, step 2 of 3').waitFor();
  expect(new URL(page.url()).hash).toBe('#/accounts/connect/telegram');
  await page.getByRole('link', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Connect a chat' }).waitFor();
});

it('tells when the agent comes', async () => {
  const window = await suite.open(caseOf('agent'));
  await window.page.getByText('Waiting for your agent…').waitFor();
  await window.push(caseOf('agent-here').state);
  await window.page.getByText('xagent is connected.').waitFor();
  await window.page.getByRole('link', { name: 'Say something to it' }).waitFor();
});

it.each(['agent-rehearsed', 'agent-failed'])('a rehearsal that ended can be run again (%s)', async (name) => {
  const window = await suite.open(caseOf(name));
  await window.page.getByRole('button', { name: 'Run again' }).click();
  await expect.poll(() => window.callsOf('rehearse')).toEqual([{}]);
});

it('keeps its buttons in one row in the narrowest window', async () => {
  const { page } = await suite.open(caseOf('account'), NARROW);
  const dots = await page.locator('.dots').boundingBox();
  const skip = await page.getByRole('button', { name: 'Skip set-up' }).boundingBox();
  expect(skip!.y).toBeLessThan(dots!.y);
});

it('turns the page at the click, and back when the host refuses', async () => {
  const window = await suite.open({ ...caseOf('tray'), answers: { 'set-onboarding': 'later' } });
  await window.page.getByRole('button', { name: 'Continue' }).click();
  await window.page.getByRole('heading', { name: 'Connect a chat' }).waitFor();
  await window.answer('set-onboarding', refusal('store_failed'));
  await window.page.getByRole('heading', { name: 'It lives up here' }).waitFor();
});

it('says in a browser how to find the page again, where the desktop app shows its tray', async () => {
  const { page } = await suite.open(caseOf('browser'));
  await page.getByRole('heading', { name: 'It works without this page' }).waitFor();
  await page.getByRole('img', { name: 'Step 1 of 3' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('node dist/cli.js ui');
});

it('names in a browser the command that prints the key, which a browser may not hold', async () => {
  const { page } = await suite.open(caseOf('browser-agent'));
  await page.getByRole('heading', { name: 'Tell your agent where to connect' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Command' }).inputValue()).toBe('node dist/cli.js api-key');
});
