import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { Heartbeat } from './heartbeat.js';

const INTERVAL = 25_000;

describe('the heartbeat', () => {
  let clock: ManualClock;
  let events: string[];
  let deaf: boolean;
  let heartbeat: Heartbeat;
  beforeEach(() => {
    clock = new ManualClock();
    events = [];
    deaf = false;
    heartbeat = new Heartbeat({
      clock,
      intervalMs: INTERVAL,
      maxMissed: 2,
      ping: () => events.push('ping'),
      cut: () => events.push('cut'),
      deaf: () => deaf,
    });
  });

  it('cuts after two pings without a sign of life', async () => {
    await clock.advance(3 * INTERVAL);
    expect(events).toEqual(['ping', 'ping', 'cut']);
    await clock.advance(10 * INTERVAL);
    expect(events).toHaveLength(3);
  });

  it('never cuts who answers', async () => {
    for (let i = 0; i < 20; i += 1) {
      await clock.advance(INTERVAL);
      heartbeat.alive();
    }
    expect(events).toEqual(Array.from({ length: 20 }, () => 'ping'));
  });

  it('counts misses in a row, not in all', async () => {
    for (let i = 0; i < 5; i += 1) {
      await clock.advance(2 * INTERVAL);
      heartbeat.alive();
    }
    expect(events).not.toContain('cut');
  });

  it('does not blame the peer while we do not read', async () => {
    deaf = true;
    await clock.advance(10 * INTERVAL);
    expect(events).not.toContain('cut');
    deaf = false;
    await clock.advance(2 * INTERVAL);
    expect(events).toContain('cut');
  });

  it('is still once stopped', async () => {
    heartbeat.stop();
    await clock.advance(10 * INTERVAL);
    expect(events).toEqual([]);
    expect(clock.timers).toBe(0);
  });
});
