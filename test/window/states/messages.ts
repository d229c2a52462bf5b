import type { AccountSnapshot, Snapshot } from '../../../src/bridge/index.js';
import { account } from '../fixtures/accounts.js';
import { DAY, endedMessage, heldReply, pendingMessage, QUIET_DAY } from '../fixtures/messages.js';
import { settingsFacts } from '../fixtures/settings.js';
import { allWell, snapshot, withoutAgent } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { type Answers, MINUTE, NOW, refusal, result, SECOND, type WindowCase } from '../support/window-case.js';

function one(name: string, of: Omit<WindowCase, 'view' | 'name' | 'hash'>): WindowCase {
  return { view: 'messages', name, hash: '#/messages', ...of };
}

const COUNTERS = { delivered: 1284, duplicate: 9, rejected: 2, expired: 1, evicted: 0 };

const telegram = account('telegram', {
  counters: COUNTERS,
  queue: {
    pending: 3,
    oldestReceivedAt: NOW - 22 * MINUTE,
    attempts: 6,
    lastError: 'ack_timeout',
    retryAt: NOW + 18 * SECOND,
  },
});
const feishu = account('feishu', {
  queue: {
    pending: 1,
    oldestReceivedAt: NOW - 54 * MINUTE,
    attempts: 14,
    lastError: 'agent_busy',
    retryAt: NOW + 41 * SECOND,
  },
});

export const busy: Snapshot = snapshot(allWell({ telegram: [telegram], feishu: [feishu] }));

const LONG = 'The landlord writes that the boiler is checked on Thursday between nine and twelve, and';

export const messageAnswers: Answers = {
  history: result(DAY),
  settings: result(settingsFacts()),
  ended: result({ messages: [] }),
  'pending acc_telegram': result({
    messages: [
      pendingMessage('m1', 22, { attempts: 6, lastError: 'ack_timeout', preview: LONG, length: 310 }),
      pendingMessage('m2', 21, { kind: 'image', preview: 'The boiler' }),
      pendingMessage('m3', 3, { preview: '好的，谢谢！' }),
    ],
  }),
  'pending acc_feishu': result({
    messages: [
      pendingMessage('m4', 54, { kind: 'file', preview: '', length: 0, attempts: 14, lastError: 'agent_busy' }),
    ],
  }),
  'ended acc_telegram': result({
    messages: [
      endedMessage('e1', 96, { outcome: 'expired', reason: 'ttl_expired' }),
      endedMessage('e2', 26 * 60, { outcome: 'rejected', reason: 'invalid_content' }),
    ],
  }),
  'ended acc_wechat': result({
    messages: [
      endedMessage('e3', 40, { outcome: 'discarded', reason: 'discarded_by_person', preview: '晚饭吃什么？' }),
      endedMessage('e4', 3, { kind: 'audio', length: 0, preview: '', outcome: 'evicted', reason: 'capacity_exceeded' }),
    ],
  }),
  preview: result({ text: `${LONG} asks whether somebody will be at home to let the fitter in.` }),
};

const heldBack: readonly AccountSnapshot[] = [telegram, feishu].map((each) => ({
  ...each,
  queue: { ...each.queue, attempts: 0, lastError: undefined, retryAt: undefined },
}));
const [telegramHeld, feishuHeld] = heldBack as readonly [AccountSnapshot, AccountSnapshot];

export const messagesCases: readonly WindowCase[] = [
  one('waiting', { state: running(busy), answers: messageAnswers }),
  one('held', {
    state: running(
      snapshot(
        allWell({
          wechat: [account('wechat', { queue: { ...account('wechat').queue, heldReplies: 2 } })],
        }),
      ),
    ),
    answers: {
      ...messageAnswers,
      'pending acc_wechat': result({
        messages: [],
        held: [
          heldReply('h1', 31, { length: 310 }),
          heldReply('h2', 4, { kind: 'file', length: 0, code: 'replies_scarce', origin: 'tool' }),
        ],
      }),
    },
  }),
  one('text', {
    state: { ...running(busy), shell: { ...running(busy).shell, preferences: withText() } },
    answers: messageAnswers,
  }),
  one('ended', {
    state: running(
      snapshot(
        allWell({
          telegram: [{ ...telegram, counters: { ...COUNTERS, send_refused: 2, in_doubt: 1 } }],
          feishu: [feishu],
        }),
      ),
    ),
    answers: messageAnswers,
    act: async (page) => {
      await page.getByRole('tab').nth(1).click();
      await page.locator('.grp').first().waitFor();
    },
  }),
  one('nothing-ended', {
    state: running(busy),
    answers: {
      ...messageAnswers,
      'ended acc_telegram': result({ messages: [] }),
      'ended acc_wechat': result({ messages: [] }),
    },
    act: (page) => page.getByRole('tab').nth(1).click(),
  }),
  one('no-agent', {
    state: running(withoutAgent(allWell({ telegram: [telegramHeld], feishu: [feishuHeld] }))),
    answers: messageAnswers,
  }),
  one('paused', {
    state: running(snapshot(allWell({ telegram: [telegramHeld], feishu: [feishuHeld] }), { paused: true })),
    answers: messageAnswers,
  }),
  one('discard', {
    state: running(busy),
    answers: messageAnswers,
    act: (page) => page.locator('.acts-cell .btn').nth(1).click(),
  }),
  one('empty', {
    state: running(snapshot(allWell({ telegram: [account('telegram', { counters: COUNTERS })] }))),
    answers: { ...messageAnswers, history: result(QUIET_DAY) },
  }),
  one('fresh', {
    state: running(snapshot({}, { agents: [] })),
    answers: { ...messageAnswers, history: result(QUIET_DAY) },
  }),
  one('loading', {
    state: withHost({ stage: 'starting', since: NOW - SECOND }),
    act: (page) => page.locator('.ghost').first().waitFor(),
  }),
  one('error', {
    state: running(busy),
    answers: {
      history: refusal('internal_error'),
      settings: result(settingsFacts()),
      pending: refusal('internal_error'),
      ended: refusal('internal_error'),
    },
  }),
];

function withText() {
  return { ...running(busy).shell.preferences, showMessageText: true };
}
