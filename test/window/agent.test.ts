import { expect, it } from 'vitest';
import { agentCases } from './states/agent.js';
import { windowSuite } from './support/suite.js';
import type { WindowCase } from './support/window-case.js';

const suite = windowSuite();

function caseOf(name: string): WindowCase {
  return agentCases.find((one) => one.name === name)!;
}

it('copies one base URL, or all of them', async () => {
  const window = await suite.open(caseOf('connected'));
  await window.page.getByRole('button', { name: 'Copy Telegram URL' }).click();
  await window.page.getByRole('button', { name: 'Copy all' }).click();
  await expect
    .poll(() => window.callsOf('copy-text'))
    .toEqual([
      { text: 'http://127.0.0.1:19080/telegram' },
      {
        text: ['wechat', 'telegram', 'feishu', 'xmpp', 'local']
          .map((name) => `http://127.0.0.1:19080/${name}`)
          .join('\n'),
      },
    ]);
});

it('has the shell copy the key, and never holds it itself', async () => {
  const window = await suite.open(caseOf('connected'));
  await window.page.getByRole('button', { name: 'Copy key' }).click();
  await window.page.getByText('Key copied.').waitFor();
  expect(await window.callsOf('copy-api-key')).toEqual([{}]);
  const commands = (await window.calls()).map(({ command }) => command);
  expect(commands).not.toContain('api-key');
});

it('asks before it rotates the key', async () => {
  const window = await suite.open(caseOf('rotate'));
  const dialog = window.page.getByRole('alertdialog');
  expect(await dialog.innerText()).toContain('2 agents are disconnected');
  await dialog.getByRole('button', { name: 'Rotate and copy' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await window.callsOf('rotate-and-copy-api-key')).toEqual([{}]);
});

it('gives a browser the command instead of the key', async () => {
  const { page } = await suite.open(caseOf('browser'));
  await page.getByRole('textbox', { name: 'Command' }).waitFor();
  expect(await page.getByRole('button', { name: 'Copy key' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Rotate…' }).count()).toBe(0);
});

it('starts a rehearsal and stops it', async () => {
  const window = await suite.open(caseOf('connected'));
  await window.page.getByRole('button', { name: 'Start' }).click();
  await expect.poll(() => window.callsOf('rehearse')).toEqual([{}]);
  await window.push(caseOf('rehearsing').state);
  await window.page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => window.callsOf('rehearse-stop')).toEqual([{}]);
});

it('says why a step failed, and offers what helps', async () => {
  const window = await suite.open(caseOf('failed'));
  const failed = window.page.locator('.check.bad');
  expect(await failed.innerText()).toContain('Delivery is paused, so the message was kept and not offered.');
  await failed.getByRole('button', { name: 'Resume delivery' }).click();
  await failed.getByRole('button', { name: 'Run again' }).click();
  await expect.poll(() => window.callsOf('pause')).toEqual([{ paused: false }]);
  expect(await window.callsOf('rehearse')).toEqual([{}]);
});
