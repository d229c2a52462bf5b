import { describe, expect, it } from 'vitest';
import type { AccountSnapshot, ConnectorSnapshot, Snapshot } from '../bridge/index.js';
import { AWAY_NOTICE_MS, nextAbsenceMs, NoticeWatch } from './notices.js';

const ALL = { notifySignIn: true, notifyExpired: true, notifyAgentAway: true };

interface Given {
  readonly state?: AccountSnapshot['state'];
  readonly expired?: number;
  readonly leaseLeftMs?: number;
  readonly channelId?: string;
}

/** A snapshot as far as notices look at it. */
function snapshot({ state, expired = 0, leaseLeftMs, channelId }: Given): Snapshot {
  const account = {
    accountId: 'a1',
    state: state ?? { status: 'connected', since: 1 },
    queue: { pending: 0 },
    agentConnected: false,
    counters: { expired },
    channelId,
    deliverTo: 'xagent',
  } as unknown as AccountSnapshot;
  const connector = {
    name: 'wechat',
    label: 'WeChat',
    leaseLeftMs,
    accounts: [account],
  } as unknown as ConnectorSnapshot;
  return { connectors: [connector] } as unknown as Snapshot;
}

const ended: AccountSnapshot['state'] = { status: 'expired', code: 'session_ended', since: 2 };

describe('what a person is told', () => {
  it('that a sign-in ended, once, and again only after it was renewed', () => {
    const watch = new NoticeWatch();
    expect(watch.next(snapshot({}), ALL)).toEqual([]);
    expect(watch.next(snapshot({ state: ended }), ALL)).toEqual([
      { kind: 'sign_in', connector: 'wechat', label: 'WeChat', place: { view: 'connect', connector: 'wechat' } },
    ]);
    expect(watch.next(snapshot({ state: ended }), ALL)).toEqual([]);
    watch.next(snapshot({}), ALL);
    expect(watch.next(snapshot({ state: ended }), ALL)).toHaveLength(1);
  });

  it('nothing of a network that is only out of reach, or of what was so at the start', () => {
    const watch = new NoticeWatch();
    expect(watch.next(snapshot({ state: ended, expired: 7 }), ALL)).toEqual([]);
    const offline = { status: 'offline', code: 'unreachable', since: 3 } as const;
    expect(watch.next(snapshot({ state: offline, expired: 7 }), ALL)).toEqual([]);
  });

  it('that messages expired, once for all that did together', () => {
    const watch = new NoticeWatch();
    watch.next(snapshot({ expired: 2 }), ALL);
    expect(watch.next(snapshot({ expired: 5 }), ALL)).toMatchObject([
      { kind: 'expired', place: { view: 'messages', accountId: 'a1' } },
    ]);
    expect(watch.next(snapshot({ expired: 5 }), ALL)).toEqual([]);
  });

  it('that the agent has been away, when ten minutes are left of what it claimed, once', () => {
    const watch = new NoticeWatch();
    const away = { channelId: 'c', leaseLeftMs: AWAY_NOTICE_MS + 1 };
    expect(watch.next(snapshot(away), ALL)).toEqual([]);
    expect(nextAbsenceMs(snapshot(away))).toBe(1);
    const soon = { channelId: 'c', leaseLeftMs: AWAY_NOTICE_MS };
    expect(watch.next(snapshot(soon), ALL)).toEqual([{ kind: 'agent_away', place: { view: 'agent' } }]);
    expect(watch.next(snapshot({ ...soon, leaseLeftMs: 1 }), ALL)).toEqual([]);
    watch.next(snapshot({ channelId: 'c' }), ALL);
    expect(watch.next(snapshot(soon), ALL)).toHaveLength(1);
  });

  it('nothing of a lease on which nothing hangs', () => {
    const watch = new NoticeWatch();
    expect(watch.next(snapshot({ leaseLeftMs: 1 }), ALL)).toEqual([]);
    expect(nextAbsenceMs(snapshot({ leaseLeftMs: AWAY_NOTICE_MS + 1 }))).toBeUndefined();
  });

  it('nothing that was switched off, and not the past when it is switched on', () => {
    const watch = new NoticeWatch();
    const none = { notifySignIn: false, notifyExpired: false, notifyAgentAway: false };
    watch.next(snapshot({}), none);
    const much = snapshot({ state: ended, expired: 1, channelId: 'c', leaseLeftMs: 1 });
    expect(watch.next(much, none)).toEqual([]);
    expect(watch.next(much, ALL)).toEqual([]);
  });
});
