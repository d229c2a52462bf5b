import type { BundleFacts, Finding, FindingCode } from '../../../src/bridge/index.js';
import { allWell, snapshot } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { type Answers, NOW, refusal, result, SECOND, type WindowCase } from '../support/window-case.js';

function one(name: string, of: Omit<WindowCase, 'view' | 'name' | 'hash'>): WindowCase {
  return { view: 'diagnostics', name, hash: '#/settings/diagnostics', ...of };
}

/** One finding of the doctor. */
export function finding(
  check: string,
  code: FindingCode,
  values: Finding['values'] = {},
  status: Finding['status'] = 'ok',
): Finding {
  return { check, status, code, values, detail: code, todo: '' };
}

const FOLDER = '/home/ada/.local/share/xagent-connector';

const WELL: readonly Finding[] = [
  finding('data directory', 'data_dir_usable', { folder: FOLDER }),
  finding('port', 'port_listening', { url: 'http://127.0.0.1:19080' }),
  finding('keychain', 'keychain_ready'),
  finding('clock', 'clock_agrees'),
  finding('wechat', 'network_answers', { host: 'ilinkai.weixin.qq.com' }),
  finding('telegram', 'network_answers', { host: 'api.telegram.org' }),
  finding('feishu', 'network_answers', { host: 'open.feishu.cn' }),
  finding('wechat 小满', 'account_connected'),
];

const SOME: readonly Finding[] = [
  finding('data directory', 'disk_low', { megabytes: 412 }, 'warn'),
  ...WELL.slice(1, 5),
  finding('telegram', 'network_unreachable', { host: 'api.telegram.org', reason: 'ENOTFOUND' }, 'broken'),
  ...WELL.slice(6),
];

const BEHIND_PROXY: readonly Finding[] = [
  ...WELL.slice(0, 4),
  finding('wechat', 'network_answers_through_proxy', {
    host: 'ilinkai.weixin.qq.com',
    proxy: 'proxy.example.net:8080',
  }),
  finding('telegram', 'proxy_unreachable', { host: 'api.telegram.org', proxy: '127.0.0.1:1080' }, 'broken'),
  finding(
    'feishu',
    'proxy_refused',
    { host: 'open.feishu.cn', proxy: 'proxy.example.net:8080', reason: '407' },
    'broken',
  ),
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
  one('proxy', { state, answers: { ...answers, doctor: result({ findings: BEHIND_PROXY }) } }),
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
  one('running', { state, answers: { doctor: 'later', bundle: 'later' } }),
  one('refused', { state, answers: { doctor: refusal('internal_error'), bundle: refusal('internal_error') } }),
  one('loading', {
    state: withHost({ stage: 'starting', since: NOW - SECOND }),
    act: (page) => page.locator('.ghost').first().waitFor(),
  }),
];
