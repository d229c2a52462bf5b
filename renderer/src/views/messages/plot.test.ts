import { expect, it } from 'vitest';
import type { HistoryBucket } from '../../../../src/bridge/index.js';
import { PLOT_AXIS, PLOT_HEIGHT, PLOT_WIDTH, plotOf } from './plot.js';

const HALF_HOUR = 30 * 60_000;

function bucketsOf(
  values: readonly (readonly [inbound: number, outbound: number, waiting: number])[],
): HistoryBucket[] {
  return values.map(([inbound, outbound, waiting], index) => ({ at: index * HALF_HOUR, inbound, outbound, waiting }));
}

function plot(values: Parameters<typeof bucketsOf>[0]) {
  return plotOf({ bucketMs: HALF_HOUR, buckets: bucketsOf(values) })!;
}

it('draws nothing without buckets', () => {
  expect(plotOf({ bucketMs: HALF_HOUR, buckets: [] })).toBeUndefined();
});

it('stands what came in on the axis and hangs what went out from it, to one scale', () => {
  const { inbound, outbound } = plot([
    [10, 5, 0],
    [0, 10, 0],
  ]);
  expect(inbound).toHaveLength(1);
  expect(outbound).toHaveLength(2);
  expect(inbound[0]!.y + inbound[0]!.height).toBeLessThan(PLOT_AXIS);
  expect(outbound[0]!.y).toBeGreaterThan(PLOT_AXIS);
  expect(inbound[0]!.height).toBeCloseTo(outbound[0]!.height * 2);
  expect(inbound[0]!.height).toBeCloseTo(outbound[1]!.height);
});

it('keeps everything inside the picture, whatever the numbers', () => {
  for (const most of [1, 3, 99, 12_345]) {
    const { inbound, outbound, tick, end } = plot([
      [most, 0, most],
      [0, most, most],
    ]);
    expect(tick).toBeGreaterThanOrEqual(1);
    for (const { x, y, width, height } of [...inbound, ...outbound]) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + width).toBeLessThanOrEqual(PLOT_WIDTH);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(PLOT_HEIGHT);
    }
    expect(end!.y).toBeGreaterThanOrEqual(0);
  }
});

it.each([
  [1, 3],
  [16, 12],
  [17, 15],
  [55, 60],
  [230, 210],
])('counts so that %i fits, with %i at the side', (most, tick) => {
  expect(plot([[most, 3, 0]]).tick).toBe(tick);
});

it('has a scale on a day without traffic', () => {
  const { inbound, outbound, waiting, end, tick, peak } = plot([[0, 0, 0]]);
  expect({ inbound, outbound, waiting, end, peak }).toEqual({
    inbound: [],
    outbound: [],
    waiting: '',
    end: undefined,
    peak: undefined,
  });
  expect(tick).toBe(3);
});

it('begins the line of what waited where something first did, and ends it now', () => {
  const { waiting, end } = plot([
    [0, 0, 0],
    [0, 0, 4],
    [0, 0, 2],
    [0, 0, 0],
  ]);
  expect(waiting).toBe('M120 52V2H240V27H360V52H480');
  expect(end).toEqual({ x: PLOT_WIDTH, y: PLOT_AXIS });
});

it('says the first time at which the most waited', () => {
  const { peak, totalIn, totalOut } = plot([
    [1, 2, 3],
    [4, 5, 6],
    [0, 0, 6],
  ]);
  expect(peak).toEqual({ waiting: 6, at: HALF_HOUR });
  expect([totalIn, totalOut]).toEqual([5, 7]);
});

it('names the beginning of each quarter', () => {
  expect(plot(Array.from({ length: 48 }, () => [0, 0, 0] as const)).times).toEqual([
    0,
    12 * HALF_HOUR,
    24 * HALF_HOUR,
    36 * HALF_HOUR,
  ]);
});
