import type { RehearsalSnapshot, RehearsalStep, Snapshot } from '../../../src/bridge/index.js';
import { REHEARSAL_STEPS } from '../../../src/bridge/rehearsal.js';
import { account, waiting } from '../fixtures/accounts.js';
import { agent, allWell, snapshot, withoutAgent } from '../fixtures/snapshot.js';
import { running, withHost } from '../fixtures/window-state.js';
import { MINUTE, NOW, SECOND, type WindowCase } from '../support/window-case.js';

function one(name: string, of: Omit<WindowCase, 'view' | 'name' | 'hash'>): WindowCase {
  return { view: 'agent', name, hash: '#/agent', ...of };
}

const TOOK_MS = [4, 2, 7, 11, 3, 9, 214, 5, 38, 6];

/** A rehearsal that passed so many steps; what comes after them is `next`. */
export function rehearsal(
  status: RehearsalSnapshot['status'],
  passed: number,
  next: Partial<RehearsalStep> = {},
): RehearsalSnapshot {
  return {
    status,
    startedAt: NOW - 5 * SECOND,
    endedAt: status === 'running' ? undefined : NOW - 5 * SECOND + 299,
    steps: REHEARSAL_STEPS.map((id, index): RehearsalStep => {
      if (index < passed) return { id, status: 'passed', tookMs: TOOK_MS[index], code: undefined };
      const todo: RehearsalStep = { id, status: 'todo', tookMs: undefined, code: undefined };
      return index === passed ? { ...todo, ...next } : todo;
    }),
  };
}

function connected(over: Partial<Snapshot> = {}): Snapshot {
  return snapshot(allWell(), {
    agents: [agent('wechat', { channels: 2 }), agent('telegram', { name: undefined, version: undefined })],
    refusedKeys: { count: 4, lastAt: NOW - 29 * MINUTE, address: '127.0.0.1' },
    ...over,
  });
}

const withAgentServer: Snapshot['agentServer'] = {
  ...connected().agentServer,
  state: { status: 'offline', code: 'agent_server_unreachable', since: NOW - MINUTE, retryAt: NOW + 12 * SECOND },
  accounts: 2,
  warning: 'agent_server_second_gateway',
};

export const agentCases: readonly WindowCase[] = [
  one('connected', { state: running(connected()) }),
  one('none', { state: running(withoutAgent({ wechat: [account('wechat', waiting(4, 22 * MINUTE))] })) }),
  one('agent-server', { state: running(connected({ agentServer: withAgentServer, refusedKeys: undefined })) }),
  one('rehearsing', { state: running(connected({ rehearsal: rehearsal('running', 5, { status: 'running' }) })) }),
  one('passed', { state: running(connected({ rehearsal: rehearsal('passed', 10) })) }),
  one('failed', {
    state: running(
      connected({
        paused: true,
        rehearsal: rehearsal('failed', 5, { status: 'failed', code: 'delivery_paused', tookMs: 31 }),
      }),
    ),
    act: (page) => page.locator('.check.bad').scrollIntoViewIfNeeded(),
  }),
  one('stopped', { state: running(connected({ rehearsal: rehearsal('stopped', 4) })) }),
  one('rotate', {
    state: running(connected()),
    act: (page) => page.locator('.set .btn').nth(1).click(),
  }),
  one('key-unread', {
    state: running(
      connected({
        apiKey: undefined,
        secrets: { kind: 'keychain', state: 'locked', code: 'keychain_locked', since: NOW - MINUTE },
      }),
    ),
  }),
  one('browser', { state: running(connected(), { kind: 'browser', platform: 'other', tray: 'none' }) }),
  one('no-networks', { state: running({ ...connected(), connectors: [], agents: [] }) }),
  one('loading', {
    state: withHost({ stage: 'starting', since: NOW - SECOND }),
    act: (page) => page.locator('.ghost').first().waitFor(),
  }),
];
