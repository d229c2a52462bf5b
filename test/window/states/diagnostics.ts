import type { BundleFacts, Finding } from '../../../src/bridge/index.js';
import { allWell, snapshot } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { type Answers, NOW, refusal, result, SECOND, type WindowCase } from '../support/window-case.js';

function one(name: string, of: Omit<WindowCase, 'view' | 'name' | 'hash'>): WindowCase {
  return { view: 'diagnostics', name, hash: '#/settings/diagnostics', ...of };
}

/** One finding of the doctor. */
export function finding(check: string, over: Partial<Finding> = {}): Finding {
  return { check, status: 'ok', code: 'ok', values: {}, detail: 'as it should be', todo: '', ...over };
}

const WELL: readonly Finding[] = [
  finding('data directory', { detail: '/home/ada/.local/share/xagent-connector is usable' }),
  finding('port', { detail: 'the host listens on http://127.0.0.1:19080' }),
  finding('keychain', { detail: 'ready' }),
  finding('clock', { detail: 'agrees with the networks' }),
  finding('wechat', { detail: 'ilinkai.weixin.qq.com answers' }),
  finding('telegram', { detail: 'api.telegram.org answers' }),
  finding('feishu', { detail: 'open.feishu.cn answers' }),
  finding('wechat 小满', { detail: 'connected' }),
];

const SOME: readonly Finding[] = [
  ...WELL.slice(0, 5),
  finding('telegram', {
    status: 'broken',
    detail: 'api.telegram.org can’t be reached (ENOTFOUND)',
    todo: 'check the network, a proxy, or the address in the configuration',
  }),
  WELL[6]!,
  finding('data directory', {
    status: 'warn',
    detail: 'only 412 MB are free',
    todo: 'free some space: without it nothing is taken in',
  }),
];

const BUNDLE: BundleFacts = {
  entries: [
    { name: 'about.json', byteSize: 820, content: '{\n  "version": "0.1.0",\n  "platform": "linux"\n}' },
    { name: 'status.json', byteSize: 9_400, content: '{\n  "connectors": []\n}' },
    { name: 'log.txt', byteSize: 402_000, content: '14:30:02 the host is ready' },
  ],
  secretsSearched: 5,
};

const answers: Answers = { doctor: result({ findings: SOME }), bundle: result(BUNDLE) };
const state = running(snapshot(allWell()));

export const diagnosticsCases: readonly WindowCase[] = [
  one('some', { state, answers }),
  one('well', { state, answers: { ...answers, doctor: result({ findings: WELL }) } }),
  one('inside', {
    state,
    answers,
    act: async (page) => {
      await page.locator('button[aria-expanded]').click();
      await page.locator('summary').first().click();
      await page.locator('pre').first().scrollIntoViewIfNeeded();
    },
  }),
  one('running', { state, answers: { doctor: 'never', bundle: 'never' } }),
  one('refused', { state, answers: { doctor: refusal('internal_error'), bundle: refusal('internal_error') } }),
  one('loading', {
    state: withHost({ stage: 'starting', since: NOW - SECOND }),
    act: (page) => page.locator('.ghost').first().waitFor(),
  }),
];
