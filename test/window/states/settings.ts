import type { SecretsSnapshot, ShellFacts, Snapshot } from '../../../src/bridge/index.js';
import { account, waiting } from '../fixtures/accounts.js';
import { settingsFacts } from '../fixtures/settings.js';
import { allWell, behindProxy, snapshot } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { type Answers, MINUTE, NOW, refusal, result, SECOND, type WindowCase } from '../support/window-case.js';

function one(name: string, of: Omit<WindowCase, 'view' | 'name' | 'hash'>): WindowCase {
  return { view: 'settings', name, hash: '#/settings', ...of };
}

const answers: Answers = { settings: result(settingsFacts({ allowedHosts: ['host.docker.internal'] })) };

function settings(over: Partial<Snapshot> = {}, shell: Partial<ShellFacts> = {}) {
  return running(snapshot(allWell({ wechat: [account('wechat', waiting(4, 22 * MINUTE))] }), over), shell);
}

function secrets(kind: SecretsSnapshot['kind'], state: SecretsSnapshot['state'], code?: string) {
  return settings({ secrets: { kind, state, code, since: NOW - 8 * MINUTE } });
}

type Way = Snapshot['connectors'][number]['way'];

/** @param ways by network; the others go as the system says, through its proxy */
function throughProxy(ways: Readonly<Record<string, Way>> = {}) {
  const { connectors } = behindProxy(snapshot(allWell()));
  return settings({ connectors: connectors.map((one) => ({ ...one, way: ways[one.name] ?? one.way })) });
}

const toProxy: NonNullable<WindowCase['act']> = (page) =>
  page
    .getByText('Proxy', { exact: true })
    .or(page.getByText('代理', { exact: true }))
    .scrollIntoViewIfNeeded();

/** A page below the fold shows what it is a picture of. */
const toStored: NonNullable<WindowCase['act']> = (page) => page.locator('.meter').scrollIntoViewIfNeeded();

const browser: Partial<ShellFacts> = { kind: 'browser', platform: 'other', tray: 'none' };

export const settingsCases: readonly WindowCase[] = [
  one('ready', { state: settings(), answers }),
  one('stored', {
    state: settings({}, { update: { status: 'ready', version: '0.2.0' } }),
    answers,
    act: (page) => page.locator('.body').evaluate((body) => void body.scrollTo(0, body.scrollHeight)),
  }),
  one('locked', { state: secrets('keychain', 'locked', 'keychain_locked'), answers, act: toStored }),
  one('absent', { state: secrets('keychain', 'absent', 'keychain_absent'), answers, act: toStored }),
  one('secrets-failed', { state: secrets('keychain', 'failed', 'keychain_timeout'), answers, act: toStored }),
  one('file', { state: secrets('file', 'ready'), answers, act: toStored }),
  one('file-locked', { state: secrets('file', 'locked', 'passphrase_needed'), answers, act: toStored }),
  one('port-taken', {
    state: settings({
      server: {
        state: 'port_taken',
        port: 19080,
        holder: { name: 'node', pid: 48213 },
        suggestedPort: 19081,
        since: NOW - MINUTE,
      },
    }),
    answers,
    act: (page) => page.locator('input[inputmode=numeric]').scrollIntoViewIfNeeded(),
  }),
  one('proxy', { state: throughProxy(), answers, act: toProxy }),
  one('proxies', {
    state: throughProxy({
      telegram: { source: 'config', proxy: { kind: 'socks5', address: '127.0.0.1:1080' } },
      wechat: { source: 'config', proxy: undefined },
    }),
    answers,
    act: toProxy,
  }),
  one('port-wrong', {
    state: settings(),
    answers,
    act: (page) => page.locator('input[inputmode=numeric]').fill('80'),
  }),
  one('add-name', {
    state: settings(),
    answers,
    act: async (page) => {
      await page.locator('.tags .btn').last().click();
      await page.locator('.add-host input').fill('http://laptop');
      await page.locator('.add-host .btn.primary').click();
    },
  }),
  one('autostart-moved', {
    state: settings({}, { tray: 'none', autostart: { supported: true, enabled: true, problem: 'moved' } }),
    answers,
  }),
  one('browser', { state: settings({}, browser), answers }),
  one('unread', {
    state: settings(),
    answers: { settings: refusal('internal_error') },
    act: (page) => page.locator('.body .banner').last().scrollIntoViewIfNeeded(),
  }),
  one('loading', {
    state: withHost({ stage: 'starting', since: NOW - SECOND }),
    act: (page) => page.locator('.seg').first().waitFor(),
  }),
];
