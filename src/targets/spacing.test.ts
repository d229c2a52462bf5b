import { describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../test/support/manual-clock.js';
import { Spacing } from './spacing.js';

describe('spacing', () => {
  it('lets the first call of a key go at once and keeps the next ones apart, in order', async () => {
    const clock = new ManualClock();
    const spacing = new Spacing(clock);
    const went: string[] = [];
    for (const name of ['a', 'b', 'c'])
      void spacing.turn('chat', 1_000).then(() => went.push(`${name}@${clock.monotonic()}`));
    await clock.advance(2_000);
    expect(went).toEqual(['a@0', 'b@1000', 'c@2000']);
  });

  it('does not hold one key for another', async () => {
    const clock = new ManualClock();
    const spacing = new Spacing(clock);
    await spacing.turn('one', 1_000);
    let went = false;
    void spacing.turn('two', 1_000).then(() => (went = true));
    await settle();
    expect(went).toBe(true);
  });

  it('keeps silent for as long as the network asked', async () => {
    const clock = new ManualClock();
    const spacing = new Spacing(clock);
    spacing.hold('chat', 30_000);
    let went = false;
    void spacing.turn('chat', 1_000).then(() => (went = true));
    await clock.advance(29_999);
    expect(went).toBe(false);
    await clock.advance(1);
    expect(went).toBe(true);
  });

  it('gives up waiting when aborted', async () => {
    const clock = new ManualClock();
    const spacing = new Spacing(clock);
    const controller = new AbortController();
    await spacing.turn('chat', 1_000);
    const waiting = spacing.turn('chat', 1_000, controller.signal);
    controller.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    expect(clock.timers).toBe(0);
  });
});
