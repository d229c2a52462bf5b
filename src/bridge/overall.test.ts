import { describe, expect, it } from 'vitest';
import { DEFAULT_PREFERENCES } from './default-preferences.js';
import type { AccountSnapshot, ConnectorSnapshot, Snapshot } from './snapshot.js';
import { overallChangesAt, overallState, WAITING_SHOWN_AFTER_MS } from './overall.js';
import type { WindowState } from './window.js';

const NOW = 1_800_000_000_000;

function account(over: Partial<AccountSnapshot> = {}): AccountSnapshot {
  return {
    accountId: 'a1',
    displayName: 'Ada',
    accountHint: 'ada',
    state: { status: 'connected', since: NOW },
    lastRoundTripAt: NOW,
    pulse: '',
    channelId: undefined,
    agentConnected: false,
    deliverTo: 'xagent',
    ownDeliverTo: undefined,
    activity: { status: 'idle' },
    queue: { pending: 0, oldestReceivedAt: undefined, attempts: 0, lastError: undefined, retryAt: undefined },
    counters: {},
    replyWindow: undefined,
    createdAt: NOW,
    ...over,
  };
}

function state(accounts: readonly AccountSnapshot[], over: Partial<Snapshot> = {}, online = true): WindowState {
  const connector: ConnectorSnapshot = {
    name: 'telegram',
    cardId: 'im.telegram',
    label: 'Telegram',
    connectorId: 'c',
    profile: 'xagent.im.v2',
    baseUrl: 'http://127.0.0.1:19080/telegram',
    dataPlanes: 0,
    leaseLeftMs: undefined,
    way: undefined,
    authFlows: [],
    accounts,
    questions: [],
  };
  const snapshot: Snapshot = {
    version: '0.0.0',
    pid: 1,
    startedAt: NOW,
    url: 'http://127.0.0.1:19080',
    port: 19080,
    dataDir: '/d',
    secrets: { kind: 'keychain', state: 'ready', code: undefined, since: NOW },
    storage: { damagedSetAsideAs: undefined, intakePaused: undefined, freeBytes: undefined },
    onboarding: 'done',
    paused: false,
    agentServer: { state: { status: 'idle' } } as unknown as Snapshot['agentServer'],
    server: { state: 'listening' },
    apiKey: undefined,
    agents: [],
    refusedKeys: undefined,
    rehearsal: undefined,
    connectors: [connector],
    ...over,
  };
  return {
    host: { stage: 'running', snapshot },
    shell: {
      kind: 'desktop',
      platform: 'linux',
      systemLanguage: 'en',
      preferences: DEFAULT_PREFERENCES,
      tray: 'shown',
      online,
      autostart: { supported: true, enabled: false, problem: undefined },
      update: { status: 'off' },
    },
  };
}

const offline = (code: string) => account({ state: { status: 'offline', code, since: NOW } });
const waiting = (sinceMs: number) =>
  account({
    queue: { pending: 1, oldestReceivedAt: NOW - sinceMs, attempts: 1, lastError: undefined, retryAt: undefined },
  });

describe('the whole app in one sign', () => {
  it('is well when everything receives', () => {
    expect(overallState(state([account()]), NOW)).toBe('ok');
  });

  it('puts what needs the person before everything else', () => {
    expect(overallState(state([offline('unreachable'), offline('webhook_active')], {}, false), NOW)).toBe('attention');
  });

  it('asks for attention when the port is taken, even with nothing connected', () => {
    const taken = { state: 'port_taken', port: 1, holder: undefined, suggestedPort: undefined, since: NOW } as const;
    expect(overallState(state([], { server: taken }), NOW)).toBe('attention');
  });

  it('is offline while nothing is connected or there is no network', () => {
    expect(overallState(state([]), NOW)).toBe('offline');
    expect(overallState(state([account()], {}, false), NOW)).toBe('offline');
  });

  it('is busy while something connects or is paused', () => {
    expect(overallState(state([offline('connecting')]), NOW)).toBe('busy');
    expect(overallState(state([account()], { paused: true }), NOW)).toBe('busy');
  });

  it('is never well while a network brings nothing, whatever the reason is called', () => {
    const flawed = (code: string) => account({ state: { status: 'degraded', code, since: NOW } });
    expect(overallState(state([account(), flawed('timeout')]), NOW)).toBe('busy');
    expect(overallState(state([flawed('store_disk_full')]), NOW)).toBe('busy');
    // Messages arrive all the same.
    expect(overallState(state([flawed('sent_unconfirmed')]), NOW)).toBe('ok');
  });

  it('asks for attention while the disk refuses what arrives, before any network has noticed', () => {
    const storage = { damagedSetAsideAs: undefined, intakePaused: 'disk_full', freeBytes: 0 };
    expect(overallState(state([account()], { storage }), NOW)).toBe('attention');
  });

  it('becomes busy by itself once a message waits too long, and says when', () => {
    const fresh = state([waiting(1_000)]);
    expect(overallState(fresh, NOW)).toBe('ok');
    const at = overallChangesAt(fresh, NOW);
    expect(at).toBe(NOW - 1_000 + WAITING_SHOWN_AFTER_MS + 1);
    expect(overallState(fresh, at!)).toBe('busy');
    expect(overallChangesAt(fresh, at!)).toBeUndefined();
  });

  it('asks for attention when the host could not start', () => {
    const { shell } = state([]);
    expect(overallState({ host: { stage: 'failed', code: 'x', message: '', since: NOW }, shell }, NOW)).toBe(
      'attention',
    );
  });
});
