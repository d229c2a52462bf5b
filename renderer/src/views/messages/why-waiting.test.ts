import { expect, it } from 'vitest';
import type { AccountSnapshot } from '../../../../src/bridge/index.js';
import { whyWaiting } from './why-waiting.js';

const RETRY_AT = 5000;

function account(change: Partial<AccountSnapshot> = {}): AccountSnapshot {
  return {
    accountId: 'a',
    displayName: 'A',
    accountHint: 'a',
    state: { status: 'connected', since: 0 },
    lastRoundTripAt: 0,
    pulse: '',
    channelId: 'c',
    agentConnected: true,
    deliverTo: 'xagent',
    ownDeliverTo: undefined,
    activity: { status: 'idle' },
    queue: { pending: 2, oldestReceivedAt: 0, attempts: 1, lastError: undefined, retryAt: RETRY_AT },
    counters: {},
    replyWindow: undefined,
    createdAt: 0,
    ...change,
  };
}

it('lets only the first of an account wait for anything but the one before it', () => {
  expect(whyWaiting(account({ agentConnected: false }), 1, 'ack_timeout', true)).toEqual({ code: 'behind' });
});

it('names the pause before the agent, and the agent before the last failure', () => {
  expect(whyWaiting(account({ agentConnected: false }), 0, 'ack_timeout', true)).toEqual({ code: 'paused' });
  expect(whyWaiting(account({ agentConnected: false }), 0, 'ack_timeout', false)).toEqual({ code: 'no_agent' });
  expect(whyWaiting(account({ agentConnected: false, deliverTo: 'agentServer' }), 0, undefined, false)).toEqual({
    code: 'no_agent_server',
  });
});

it('tells its own failures from what an agent answered', () => {
  expect(whyWaiting(account(), 0, 'ack_timeout', false)).toEqual({ code: 'ack_timeout', retryAt: RETRY_AT });
  expect(whyWaiting(account(), 0, 'rate_limited', false)).toEqual({
    code: 'agent_asked_later',
    agentCode: 'rate_limited',
    retryAt: RETRY_AT,
  });
});

it('is offered while no timer runs, whatever happened before', () => {
  const queue = { pending: 1, oldestReceivedAt: 0, attempts: 1, lastError: undefined, retryAt: undefined };
  expect(whyWaiting(account({ queue }), 0, 'ack_timeout', false)).toEqual({
    code: 'offered',
  });
});
