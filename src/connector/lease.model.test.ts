import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SleepyClock } from '../../test/support/sleepy-clock.js';
import { Lease, LEASE_TICK_MS } from './lease.js';

/** The lease through any life of host, machine and agents, against what it promises. */

const GRACE_MS = 300_000;
const STEP_MS = 5_000;
const HOURS_26_MS = 26 * 3_600_000;

type Event =
  | { readonly kind: 'passes'; readonly ms: number }
  | { readonly kind: 'sleeps'; readonly ms: number; readonly noticed: boolean }
  | { readonly kind: 'clock set'; readonly ms: number }
  | { readonly kind: 'agent comes' | 'agent goes' | 'restart' | 'crash' };

const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('passes' as const), ms: fc.integer({ min: 0, max: 200_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('sleeps' as const),
      ms: fc.integer({ min: 0, max: 8 * 3_600_000 }),
      noticed: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(-HOURS_26_MS, HOURS_26_MS).map((ms) => ({ kind: 'clock set' as const, ms })),
  },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom('agent comes' as const, 'agent goes' as const, 'restart' as const, 'crash' as const)
      .map((kind) => ({ kind })),
  },
);

/**
 * What is promised: the lease ends after the grace of time that the host ran awake with no agent. A sleep adds a tick at most,
 * and a crash loses one at most.
 */
class Promised {
  /** Bounds of the time used up; undefined while nothing counts. */
  used: { least: number; most: number } | undefined = { least: 0, most: 0 };
  connected = false;

  add(least: number, most = least): void {
    if (!this.used || this.connected) return;
    this.used = { least: this.used.least + least, most: this.used.most + most };
  }
}

it('ends after the grace of awake time without an agent, whatever clocks, sleep, restarts and crashes do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
      const clock = new SleepyClock();
      const promised = new Promised();
      let saved = 0;
      let ends = 0;
      const start = (): Lease =>
        new Lease({
          clock,
          graceMs: GRACE_MS,
          save: (ms) => (saved = ms),
          onEnd: () => {
            ends += 1;
            saved = 0;
            expect(promised.used?.most ?? -1).toBeGreaterThanOrEqual(GRACE_MS);
            promised.used = undefined;
          },
        });
      let lease = start();
      lease.begin(0);
      const pass = async (ms: number): Promise<void> => {
        for (let left = ms; left > 0; left -= STEP_MS) {
          const step = Math.min(left, STEP_MS);
          promised.add(step);
          await clock.advance(step);
          if (promised.used && !promised.connected) expect(promised.used.least).toBeLessThan(GRACE_MS);
        }
      };
      const again = (lost: number): void => {
        promised.connected = false;
        // A host that has ended its lease counts anew from its next start.
        promised.used ??= { least: 0, most: 0 };
        promised.used.least = Math.max(0, promised.used.least - lost);
        lease = start();
        lease.begin(saved);
      };
      for (const now of events) {
        if (now.kind === 'passes') await pass(now.ms);
        else if (now.kind === 'clock set') clock.jumpWall(now.ms);
        else if (now.kind === 'sleeps') {
          clock.sleep(now.ms);
          promised.add(0, Math.min(now.ms, LEASE_TICK_MS));
          if (now.noticed) lease.wake();
          await clock.advance(0);
        } else if (now.kind === 'agent comes') {
          lease.connected();
          promised.connected = true;
        } else if (now.kind === 'agent goes') {
          if (promised.connected) promised.used = { least: 0, most: 0 };
          promised.connected = false;
          lease.disconnected();
        } else {
          const wasConnected = promised.connected;
          if (now.kind === 'restart') lease.close();
          else clock.forget();
          if (wasConnected) promised.used = { least: 0, most: 0 };
          again(now.kind === 'crash' ? LEASE_TICK_MS : 0);
        }
        const left = lease.leftMs;
        if (promised.connected) expect(left).toBeUndefined();
        else if (promised.used) {
          expect(left).toBeGreaterThanOrEqual(Math.max(0, GRACE_MS - promised.used.most));
          expect(left).toBeLessThanOrEqual(GRACE_MS - promised.used.least);
        }
      }
      expect(ends).toBeLessThanOrEqual(events.length + 1);
    }),
    { numRuns: 200 },
  );
});
