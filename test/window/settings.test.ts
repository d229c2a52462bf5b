import { expect, it } from 'vitest';
import { settingsFacts } from './fixtures/settings.js';
import { settingsCases } from './states/settings.js';
import { windowSuite } from './support/suite.js';
import { refusal, result, type WindowCase } from './support/window-case.js';

const suite = windowSuite();

function caseOf(name: string): WindowCase {
  return settingsCases.find((one) => one.name === name)!;
}

it('changes language and appearance at once', async () => {
  const window = await suite.open(caseOf('ready'));
  await window.page.getByRole('radio', { name: '简体中文' }).click();
  await window.page.getByRole('radio', { name: 'Dark' }).click();
  expect(await window.callsOf('set-preferences')).toEqual([{ language: 'zh' }, { theme: 'dark' }]);
});

it('switches autostart and notifications', async () => {
  const window = await suite.open(caseOf('ready'));
  await window.page.getByRole('switch', { name: 'Start when I log in' }).click();
  await window.page.getByRole('switch', { name: 'Tell me when a message expires' }).click();
  expect(await window.callsOf('set-autostart')).toEqual([{ enabled: true }]);
  expect(await window.callsOf('set-preferences')).toEqual([{ notifyExpired: false }]);
});

it('checks a port as it is typed, and applies it when the person says so', async () => {
  const window = await suite.open(caseOf('ready'));
  const port = window.page.getByRole('textbox', { name: 'Port' });
  await port.fill('80');
  expect(await window.page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
  expect(await port.getAttribute('aria-invalid')).toBe('true');
  await window.answer('set-settings', [refusal('port_taken'), result(settingsFacts({ port: 19081 }))]);
  await port.fill('19081');
  await port.press('Enter');
  await window.page.locator('.set .help .say').waitFor();
  await port.press('Enter');
  await window.page.getByText('The server listens on port 19081.').waitFor();
  expect(await window.callsOf('set-settings')).toEqual([{ port: 19081 }, { port: 19081 }]);
});

it('adds a name only when it can be one, and removes one with a way back', async () => {
  const window = await suite.open(caseOf('ready'));
  const { page } = window;
  await page.getByRole('button', { name: 'Add name' }).click();
  const name = page.getByRole('textbox', { name: 'Name to add' });
  await name.fill('*.example.org');
  await name.press('Enter');
  await page.getByText('a star would let every web page in').waitFor();
  expect(await window.callsOf('set-settings')).toEqual([]);
  await window.answer('settings', result(settingsFacts({ allowedHosts: ['host.docker.internal', 'laptop'] })));
  await name.fill('Laptop');
  await name.press('Enter');
  await page.getByRole('button', { name: 'Remove laptop' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect
    .poll(() => window.callsOf('set-settings'))
    .toEqual([
      { allowedHosts: ['host.docker.internal', 'laptop'] },
      { allowedHosts: ['host.docker.internal'] },
      { allowedHosts: ['host.docker.internal', 'laptop'] },
    ]);
});

it('names the proxy of the system, or the way of each network where they differ', async () => {
  const same = await suite.open(caseOf('proxy'));
  await same.page.getByText('From the system: proxy.example.net:8080. Local addresses go direct.').waitFor();
  const { page } = await suite.open(caseOf('proxies'));
  await page.getByText('Telegram: 127.0.0.1:1080, from the configuration').waitFor();
  await page.getByText('WeChat: direct').waitFor();
  await page.getByText('Feishu: proxy.example.net:8080, from the system').waitFor();
  const none = await suite.open(caseOf('ready'));
  await none.page.getByText('None: the networks are reached directly.').waitFor();
  const test = none.page.getByRole('link', { name: 'Test' });
  expect(await test.getAttribute('href')).toBe('#/settings/diagnostics');
});

it('quits, which a desktop without a tray has no other way to do', async () => {
  const window = await suite.open(caseOf('ready'));
  await window.page.getByRole('button', { name: 'Quit' }).click();
  expect(await window.callsOf('quit')).toEqual([{}]);
});

it('offers a browser only what a browser can do', async () => {
  const { page } = await suite.open(caseOf('browser'));
  await page.getByText('Data folder').waitFor();
  expect(await page.getByRole('switch').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Show the folder' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Copy path' }).count()).toBe(1);
  expect(await page.getByRole('button', { name: 'Quit' }).count()).toBe(0);
});
