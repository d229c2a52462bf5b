import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { sleep } from '../base/clock.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import { StoreError } from '../store/store.js';
import { startPollLoop, STALE_AFTER_MS, type PollLoopOptions } from './supervisor.js';
import type { BindingState } from './target.js';

const BACKOFF = { initialMs: 1_000, maxMs: 30_000 };
const DEADLINE_MS = 40_000;
const unreachable = new TransportError('unreachable', 'The server could not be reached', { effect: 'none' });

/** A network whose polls are answered by hand. */
class FakeNetwork {
  readonly clock = new ManualClock();
  readonly states: BindingState[] = [];
  readonly startedAt: number[] = [];
  renewals = 0;
  /** What the next steps do. */
  behaviour: (signal: AbortSignal) => Promise<void> = this.answerAfter(3_600_000);

  start(extra: Partial<PollLoopOptions> = {}) {
    return startPollLoop({
      clock: this.clock,
      log: quietLog,
      random: () => 0,
      backoff: BACKOFF,
      deadlineMs: DEADLINE_MS,
      step: (signal) => {
        this.startedAt.push(this.clock.monotonic());
        return this.behaviour(signal);
      },
      report: (state) => this.states.push(state),
      renew: () => (this.renewals += 1),
      ...extra,
    });
  }

  answerAfter(ms: number): (signal: AbortSignal) => Promise<void> {
    return (signal) => sleep(this.clock, ms, signal);
  }

  get status(): string {
    const state = this.states.at(-1);
    return state === undefined ? 'none' : 'code' in state ? `${state.status}:${state.code}` : state.status;
  }
}

describe('a poll loop', () => {
  it('says connected after a completed round trip, not before', async () => {
    const network = new FakeNetwork();
    network.behaviour = network.answerAfter(500);
    const loop = network.start();
    await network.clock.advance(499);
    expect(network.status).toBe('offline:connecting');
    expect(loop.lastRoundTripAt).toBeUndefined();
    await network.clock.advance(1);
    expect(network.status).toBe('connected');
    expect(loop.lastRoundTripAt).toBe(network.clock.now());
    await loop.stop();
  });

  it('backs off exponentially between failures and renews its connection before each try', async () => {
    const network = new FakeNetwork();
    network.behaviour = () => Promise.reject(unreachable);
    const loop = network.start();
    await network.clock.advance(15_500);
    expect(network.startedAt).toEqual([0, 1_000, 3_000, 7_000, 15_000]);
    expect(network.renewals).toBe(5);
    expect(network.states.at(-1)).toMatchObject({
      status: 'offline',
      code: 'unreachable',
      retryAt: network.clock.now() + 7_500,
    });
    await loop.stop();
  });

  it('takes one failure after a good time for a hiccup and two for offline', async () => {
    const network = new FakeNetwork();
    network.behaviour = network.answerAfter(100);
    const loop = network.start();
    await network.clock.advance(150);
    network.behaviour = () => Promise.reject(unreachable);
    await network.clock.advance(60);
    expect(network.status).toBe('degraded:unreachable');
    await network.clock.advance(1_000);
    expect(network.status).toBe('offline:unreachable');
    network.behaviour = network.answerAfter(100);
    await network.clock.advance(2_100);
    expect(network.status).toBe('connected');
    await loop.stop();
  });

  it('aborts a step at its deadline', async () => {
    const network = new FakeNetwork();
    const loop = network.start();
    await network.clock.advance(DEADLINE_MS);
    expect(network.status).toBe('offline:timeout');
    await loop.stop();
  });

  it('is not green any more when the network falls silent for the stale time', async () => {
    const network = new FakeNetwork();
    network.behaviour = network.answerAfter(100);
    const loop = network.start({ deadlineMs: 10 * STALE_AFTER_MS });
    await network.clock.advance(100);
    network.behaviour = () => new Promise(() => undefined);
    await network.clock.advance(100);
    await network.clock.advance(STALE_AFTER_MS - 1);
    expect(network.status).toBe('connected');
    await network.clock.advance(1);
    expect(network.status).toBe('offline:no_answer');
    void loop.stop();
  });

  it('keeps its word on when a state began while the state repeats', async () => {
    const network = new FakeNetwork();
    network.behaviour = network.answerAfter(1_000);
    const loop = network.start();
    await network.clock.advance(5_000);
    const connected = network.states.filter(({ status }) => status === 'connected');
    expect(new Set(connected.map(({ since }) => since)).size).toBe(1);
    await loop.stop();
  });

  it('abandons a hanging step when woken and tries at once', async () => {
    const network = new FakeNetwork();
    const loop = network.start();
    await network.clock.advance(10_000);
    network.behaviour = network.answerAfter(10);
    loop.wake();
    await network.clock.advance(10);
    expect(network.status).toBe('connected');
    expect(network.startedAt.slice(0, 2)).toEqual([0, 10_000]);
    expect(network.renewals).toBe(1);
    await loop.stop();
  });

  it('finds a network that was away for six hours within ten seconds, without being told', async () => {
    const network = new FakeNetwork();
    network.behaviour = network.answerAfter(100);
    const loop = network.start();
    await network.clock.advance(150);
    network.behaviour = () => Promise.reject(unreachable);
    await network.clock.advance(6 * 3_600_000);
    expect(network.status).toBe('offline:unreachable');
    network.behaviour = network.answerAfter(100);
    await network.clock.advance(10_000);
    expect(network.status).toBe('connected');
    await loop.stop();
  });

  it('leaves a network alone that answers with faults, for as long as its policy says', async () => {
    const network = new FakeNetwork();
    network.behaviour = () => Promise.reject(new TransportError('http_502', 'a fault', { effect: 'unknown' }));
    const loop = network.start();
    await network.clock.advance(3_600_000);
    expect(network.startedAt.at(-1)! - network.startedAt.at(-2)!).toBe(BACKOFF.maxMs);
    await loop.stop();
  });

  it('finds a network that comes back 20 s after waking within 10 s more', async () => {
    const network = new FakeNetwork();
    network.behaviour = () => Promise.reject(unreachable);
    const loop = network.start();
    await network.clock.advance(600_000);
    loop.wake();
    await network.clock.advance(20_000);
    network.behaviour = network.answerAfter(10);
    await network.clock.advance(10_000);
    expect(network.status).toBe('connected');
    await loop.stop();
  });

  it('waits as long as the network asks', async () => {
    const network = new FakeNetwork();
    network.behaviour = () =>
      Promise.reject(new TargetRefusal('rate_limited', 'Too many requests', { retryable: true, retryAfterMs: 17_000 }));
    const loop = network.start();
    await network.clock.advance(40_000);
    expect(network.startedAt).toEqual([0, 17_000, 34_000]);
    await loop.stop();
  });

  it('stops for good when the credentials are refused, and waking does not start it again', async () => {
    const network = new FakeNetwork();
    network.behaviour = () =>
      Promise.reject(new TargetRefusal('token_revoked', 'Refused', { retryable: false, account: 'revoked' }));
    const loop = network.start();
    await network.clock.advance(3_600_000);
    loop.wake();
    await network.clock.advance(3_600_000);
    expect(network.status).toBe('revoked:token_revoked');
    expect(network.startedAt).toHaveLength(1);
    await loop.stop();
  });

  it('stays up while the disk refuses, says so, and goes on when it takes writes again', async () => {
    const network = new FakeNetwork();
    network.behaviour = () => Promise.reject(new StoreError('disk_full', 'No space'));
    const loop = network.start();
    await network.clock.advance(5_000);
    expect(network.status).toBe('degraded:store_disk_full');
    network.behaviour = network.answerAfter(10);
    await network.clock.advance(10_000);
    expect(network.status).toBe('connected');
    await loop.stop();
  });

  it('waits for room outside the deadline and says why it does not poll', async () => {
    const network = new FakeNetwork();
    network.behaviour = network.answerAfter(100);
    let room = (): void => undefined;
    const loop = network.start({
      ready: () => (network.startedAt.length === 0 ? Promise.resolve() : new Promise((resolve) => (room = resolve))),
    });
    await network.clock.advance(STALE_AFTER_MS * 4);
    expect(network.status).toBe('degraded:backlog_full');
    expect(network.startedAt).toHaveLength(1);
    room();
    await network.clock.advance(100);
    expect(network.status).toBe('connected');
    await loop.stop();
  });

  it('leaves no timer behind when stopped', async () => {
    const network = new FakeNetwork();
    network.behaviour = () => Promise.reject(unreachable);
    const loop = network.start();
    await network.clock.advance(2_000);
    await loop.stop();
    expect(network.clock.timers).toBe(0);
  });
});
