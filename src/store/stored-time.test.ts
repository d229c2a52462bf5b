import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { openStore, openStoredTime, type Machine, type Store } from './index.js';
import { NOTE_INTERVAL_MS, steadyAfter } from './stored-time.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const WALL = Date.UTC(2026, 0, 15, 12);

describe('what time it is by what the last run noted', () => {
  const anchor = { steady: 1_000_000, wall: WALL, up: 5 * HOUR, boot: 'a' };
  const later = (wallMs: number, upMs: number, boot = 'a') =>
    steadyAfter(anchor, { wall: WALL + wallMs, up: upMs, boot }) - anchor.steady;

  it.each([
    ['the clock was left alone', MINUTE],
    ['the clock was set 26 h ahead', 26 * HOUR],
    ['the clock was set 26 h back', -26 * HOUR],
  ])('%s: a minute has passed while the machine was up for a minute more', (_, wallMs) => {
    expect(later(wallMs, 5 * HOUR + MINUTE)).toBe(MINUTE);
  });

  it('a machine that was off is believed its clock, and that it can’t have been off shorter than it is up again', () => {
    expect(later(3 * 24 * HOUR, MINUTE, 'b')).toBe(3 * 24 * HOUR);
    expect(later(3 * 24 * HOUR, 9 * HOUR, 'b')).toBe(3 * 24 * HOUR);
    expect(later(-26 * HOUR, 9 * HOUR, 'b')).toBe(9 * HOUR);
  });

  it.each([
    ['up for longer than its clock says has passed: it was never off', MINUTE, 5 * HOUR + MINUTE, MINUTE],
    ['its clock set back, and up for longer than before: never off', -26 * HOUR, 6 * HOUR, HOUR],
    ['up for shorter than before: it was off, for as long as its clock says', 26 * HOUR, MINUTE, 26 * HOUR],
    ['up for longer than before, within what its clock says: off, rather than set', 72 * HOUR, 6 * HOUR, 72 * HOUR],
    ['off, and its clock is wrong: as long as it is up', -26 * HOUR, MINUTE, MINUTE],
  ])('where the system does not name its starts: %s', (_, wallMs, upMs, passed) => {
    const given = { steady: 0, wall: WALL, up: 5 * HOUR, boot: undefined };
    expect(steadyAfter(given, { wall: WALL + wallMs, up: upMs, boot: undefined })).toBe(passed);
  });
});

describe('the time of a store', () => {
  let dataDir: string;
  let store: Store;
  let clock: ManualClock;
  const machine: Machine = { upMs: () => HOUR + clock.monotonic(), boot: 'a' };

  beforeEach(async () => {
    dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'time-'));
    clock = new ManualClock(WALL);
    store = await openStore({ dataDir, clock, log: quietLog });
  });
  afterEach(async () => {
    await store.close();
    fs.rmSync(dataDir, { recursive: true, force: true });
  });

  it('begins with the system’s', async () => {
    expect((await openStoredTime({ store, clock, log: quietLog, machine })).clock.steady()).toBe(WALL);
  });

  it.each([26, -26])('goes on over a restart with the clock set by %i h, also after a crash', async (hours) => {
    await openStoredTime({ store, clock, log: quietLog, machine });
    await clock.advance(NOTE_INTERVAL_MS + 5 * MINUTE);
    // Nothing was noted for five minutes; the next run begins with the system’s time as it finds it.
    const next = new ManualClock(WALL + hours * HOUR);
    const time = await openStoredTime({ store, clock: next, log: quietLog, machine });
    expect(time.clock.steady()).toBe(WALL + NOTE_INTERVAL_MS + 5 * MINUTE);
    await next.advance(MINUTE);
    expect(time.clock.steady()).toBe(WALL + NOTE_INTERVAL_MS + 6 * MINUTE);
    expect(time.clock.now()).toBe(WALL + hours * HOUR + MINUTE);
  });

  it('is noted once more at the end, and no more afterwards', async () => {
    const time = await openStoredTime({ store, clock, log: quietLog, machine });
    await clock.advance(MINUTE);
    await time.close();
    const next = new ManualClock(WALL - 26 * HOUR);
    const again = await openStoredTime({ store, clock: next, log: quietLog, machine: { upMs: () => 0, boot: 'b' } });
    expect(again.clock.steady()).toBe(WALL + MINUTE);
    expect(clock.timers).toBe(0);
  });
});
