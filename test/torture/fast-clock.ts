import { systemClock, type Clock } from '../../src/base/clock.js';

/** A clock that runs `factor` times as fast as the system's: a network's redelivery after an hour comes within a run. */
export function fastClock(factor: number): Clock {
  const began = { now: systemClock.now(), monotonic: systemClock.monotonic(), steady: systemClock.steady() };
  return {
    now: () => began.now + (systemClock.now() - began.now) * factor,
    monotonic: () => began.monotonic + (systemClock.monotonic() - began.monotonic) * factor,
    steady: () => Math.floor(began.steady + (systemClock.steady() - began.steady) * factor),
    after: (ms, fn) => systemClock.after(ms / factor, fn),
  };
}
