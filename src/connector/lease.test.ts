import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { SleepyClock } from '../../test/support/sleepy-clock.js';
import { Lease, LEASE_TICK_MS } from './lease.js';

const GRACE_MS = 3_600_000;

function leaseOn(clock: ManualClock, graceMs = GRACE_MS): { lease: Lease; saved: number[]; ends: () => number } {
  const saved: number[] = [];
  let ended = 0;
  const lease = new Lease({ clock, graceMs, save: (ms) => saved.push(ms), onEnd: () => (ended += 1) });
  return { lease, saved, ends: () => ended };
}

describe('the lease (section 8.2)', () => {
  it('ends after the whole grace without a data plane, and not a moment sooner', async () => {
    const clock = new ManualClock();
    const { lease, ends } = leaseOn(clock);
    lease.begin(0);
    await clock.advance(GRACE_MS - 1);
    expect(ends()).toBe(0);
    expect(lease.leftMs).toBe(1);
    await clock.advance(1);
    expect(ends()).toBe(1);
  });

  it('ends once: nothing counts on until a data plane came and went', async () => {
    const clock = new ManualClock();
    const { lease, ends } = leaseOn(clock);
    lease.begin(0);
    await clock.advance(10 * GRACE_MS);
    expect(ends()).toBe(1);
    lease.connected();
    lease.disconnected();
    await clock.advance(GRACE_MS);
    expect(ends()).toBe(2);
  });

  it('does not count while a data plane is connected, and gives back the whole grace with it', async () => {
    const clock = new ManualClock();
    const { lease, ends } = leaseOn(clock);
    lease.begin(0);
    await clock.advance(GRACE_MS - 60_000);
    lease.connected();
    expect(lease.leftMs).toBeUndefined();
    await clock.advance(5 * GRACE_MS);
    lease.disconnected();
    expect(lease.leftMs).toBe(GRACE_MS);
    await clock.advance(GRACE_MS - 1);
    expect(ends()).toBe(0);
  });

  it('saves what is used up with every tick and at the end, and 0 when a data plane comes', async () => {
    const clock = new ManualClock();
    const { lease, saved } = leaseOn(clock);
    lease.begin(0);
    await clock.advance(2 * LEASE_TICK_MS + 400);
    lease.close();
    expect(saved).toEqual([LEASE_TICK_MS, 2 * LEASE_TICK_MS, 2 * LEASE_TICK_MS + 400]);
    const next = leaseOn(clock);
    next.lease.begin(30_400);
    next.lease.connected();
    expect(next.saved).toEqual([0]);
  });

  it('goes on from what an earlier run of the host used up', async () => {
    const clock = new ManualClock();
    const { lease, ends } = leaseOn(clock);
    lease.begin(GRACE_MS - 1_000);
    await clock.advance(999);
    expect(ends()).toBe(0);
    await clock.advance(1);
    expect(ends()).toBe(1);
  });

  it('ends at once when an earlier run used up everything', async () => {
    const clock = new ManualClock();
    const { lease, ends } = leaseOn(clock);
    lease.begin(GRACE_MS + 5);
    await clock.advance(0);
    expect(ends()).toBe(1);
  });

  it('counts a night asleep as one tick at most, with and without being told of the waking', async () => {
    const clock = new SleepyClock();
    const { lease } = leaseOn(clock);
    lease.begin(0);
    await clock.advance(1_000);
    clock.sleep(8 * GRACE_MS);
    lease.wake();
    expect(lease.leftMs).toBeGreaterThanOrEqual(GRACE_MS - LEASE_TICK_MS);
    const left = lease.leftMs ?? 0;
    clock.sleep(8 * GRACE_MS);
    await clock.advance(LEASE_TICK_MS);
    expect(lease.leftMs).toBe(left - LEASE_TICK_MS);
  });

  it('still counts when the machine is woken again and again without having slept', async () => {
    const clock = new ManualClock();
    const { lease, ends } = leaseOn(clock, 60_000);
    lease.begin(0);
    for (let i = 0; i < 60; i += 1) {
      await clock.advance(1_000);
      lease.wake();
    }
    await clock.advance(0);
    expect(ends()).toBe(1);
  });

  it('does not notice that the system clock is set', async () => {
    const clock = new ManualClock();
    const { lease, ends } = leaseOn(clock);
    lease.begin(0);
    clock.jumpWall(100 * GRACE_MS);
    await clock.advance(LEASE_TICK_MS);
    expect(ends()).toBe(0);
    expect(lease.leftMs).toBe(GRACE_MS - LEASE_TICK_MS);
  });
});
