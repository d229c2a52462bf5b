import { expect, it } from 'vitest';
import { UploadSlots } from './upload-slots.js';

function setUp() {
  const slots = new UploadSlots();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const run = (name: number): Promise<void> =>
    slots.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
    });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { begun, ends, run, settled, slots };
}

it('begins as many at once as the host takes, and the next in order as soon as one ends', async () => {
  const { begun, ends, run, settled } = setUp();
  for (let name = 1; name <= 6; name += 1) void run(name);
  await settled();
  expect(begun).toEqual([1, 2, 3, 4]);
  ends[2]!();
  await settled();
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  ends[0]!();
  await settled();
  expect(begun).toEqual([1, 2, 3, 4, 5, 6]);
});

it('gives the place of one that failed to the next', async () => {
  const { slots } = setUp();
  const failing = Array.from({ length: 4 }, () => slots.run(() => Promise.reject(new Error('no'))));
  const last = slots.run(() => Promise.resolve('done'));
  await Promise.allSettled(failing);
  await expect(last).resolves.toBe('done');
});
