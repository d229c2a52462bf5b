import { expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { within } from './within.js';

it.each([
  ['done', () => Promise.resolve()],
  ['failed', () => Promise.reject(new Error('no'))],
] as const)('says that the work is %s, and leaves no timer', async (outcome, work) => {
  const clock = new ManualClock();
  expect(await within(clock, 1_000, work())).toBe(outcome);
  expect(clock.timers).toBe(0);
});

it('does not wait longer than it was given, and does not mind what comes late', async () => {
  const clock = new ManualClock();
  let fail: (error: Error) => void = () => undefined;
  const outcome = within(clock, 1_000, new Promise((_, reject) => (fail = reject)));
  await clock.advance(999);
  expect(await Promise.race([outcome, Promise.resolve('waiting')])).toBe('waiting');
  await clock.advance(1);
  expect(await outcome).toBe('late');
  fail(new Error('late'));
});
