import { describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../test/support/manual-clock.js';
import { Paced } from './paced.js';

const INTERVAL_MS = 200;

function setUp() {
  const clock = new ManualClock();
  const taken: (() => void)[] = [];
  const paced = new Paced(clock, INTERVAL_MS, () => new Promise((resolve) => taken.push(resolve)));
  return { clock, taken, paced };
}

describe('telling a reader of changes', () => {
  it('tells the first at once, and what follows within the interval together', async () => {
    const { clock, taken, paced } = setUp();
    paced.request();
    taken[0]?.();
    await settle();
    paced.request();
    paced.request();
    await clock.advance(INTERVAL_MS - 1);
    expect(taken).toHaveLength(1);
    await clock.advance(1);
    expect(taken).toHaveLength(2);
  });

  it('waits for a slow reader and leaves out what lay between', async () => {
    const { clock, taken, paced } = setUp();
    paced.request();
    for (let i = 0; i < 20; i += 1) {
      paced.request();
      await clock.advance(INTERVAL_MS);
    }
    expect(taken).toHaveLength(1);
    taken[0]?.();
    await settle();
    expect(taken).toHaveLength(2);
  });

  it('goes on after a telling that failed, and tells nothing once it is stopped', async () => {
    const clock = new ManualClock();
    let told = 0;
    const paced = new Paced(clock, INTERVAL_MS, () => {
      told += 1;
      return Promise.reject(new Error('reader trouble'));
    });
    paced.request();
    await settle();
    paced.request();
    await clock.advance(INTERVAL_MS);
    expect(told).toBe(2);
    paced.request();
    paced.stop();
    await clock.advance(INTERVAL_MS);
    expect(told).toBe(2);
  });
});
