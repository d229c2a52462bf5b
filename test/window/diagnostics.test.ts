import { expect, it } from 'vitest';
import { diagnosticsCases, finding } from './states/diagnostics.js';
import { windowSuite } from './support/suite.js';
import { result, type WindowCase } from './support/window-case.js';

const suite = windowSuite();

function caseOf(name: string): WindowCase {
  return diagnosticsCases.find((one) => one.name === name)!;
}

it('looks at everything as soon as it is opened, and again when it is asked to', async () => {
  const window = await suite.open(caseOf('some'));
  await window.page.getByText('8 checked at 14:34, 2 to look at').waitFor();
  await window.answer(
    'doctor',
    result({ findings: [finding('port', 'port_listening', { url: 'http://127.0.0.1:19080' })] }),
  );
  await window.page.getByRole('button', { name: 'Run again' }).click();
  await window.page.getByText('1 checked at 14:34, all well').waitFor();
});

it('says what is broken and what to do', async () => {
  const { page } = await suite.open(caseOf('some'));
  const telegram = page.locator('.check.bad');
  await telegram.waitFor();
  expect(await telegram.innerText()).toContain('Check the network, a proxy');
});

it('says through which proxy a network is reached, and what to do about one that is not there or refuses', async () => {
  const { page } = await suite.open(caseOf('proxy'));
  await page.getByText('ilinkai.weixin.qq.com answers, through the proxy proxy.example.net:8080').waitFor();
  const bad = page.locator('.check.bad');
  expect(await bad.nth(0).innerText()).toContain(
    'the proxy 127.0.0.1:1080 on the way to api.telegram.org can’t be reached',
  );
  expect(await bad.nth(0).innerText()).toContain('Start the proxy');
  expect(await bad.nth(1).innerText()).toContain('Allow open.feishu.cn at the proxy.');
});

it('lets the report be looked through before it is saved', async () => {
  const window = await suite.open(caseOf('some'));
  const { page } = window;
  await page.getByText('Searched for each of your 5 secrets: none is in it.').waitFor();
  await page.getByRole('button', { name: 'Look inside' }).click();
  await page.getByText('status.json').click();
  await page.getByText('"connectors": []').waitFor();
  await window.answer('save-bundle', result({ saved: true }));
  await page.getByRole('button', { name: 'Save…' }).click();
  await page.getByText('Report saved.').waitFor();
  expect(await window.callsOf('save-bundle')).toEqual([{}]);
});
