import type { History, HistoryBucket } from '../../../../src/bridge/index.js';

/** The plot's own units; the picture is stretched to the width there is. */
export const PLOT_WIDTH = 480;
export const PLOT_HEIGHT = 104;
/** Where nothing happened; what came in stands on it, what went out hangs from it. */
export const PLOT_AXIS = PLOT_HEIGHT / 2;

/** Free space above and below the largest bar, and between a bar and the axis. */
const MARGIN = 2;
const AXIS_GAP = 0.5;
/** Part of a bucket's width that its bar takes. */
const BAR_SHARE = 0.8;
/** The counts written at the side stand at this part of the whole scale, so that they never move. */
const TICK_SHARE = 0.75;
/** Times written under the plot, without the end. */
const LABELS = 4;

/** Where the count is written at the side, above and below the axis. */
export const PLOT_TICKS = [-1, 1].map((side) => PLOT_AXIS + side * TICK_SHARE * (PLOT_AXIS - MARGIN));

export interface PlotRect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A day of traffic as what is drawn and what the sentence says. Times are Unix ms. */
export interface Plot {
  readonly inbound: readonly PlotRect[];
  readonly outbound: readonly PlotRect[];
  /** The line of what waited, as path data, from the first bucket in which something did; empty when nothing waited. */
  readonly waiting: string;
  /** Where the line ends now; undefined when there is no line. */
  readonly end: { readonly x: number; readonly y: number } | undefined;
  /** The count at {@link PLOT_TICKS}. */
  readonly tick: number;
  /** When the first, second, third and fourth quarter of the plot begin. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly totalIn: number;
  readonly totalOut: number;
  readonly peak: { readonly waiting: number; readonly at: number } | undefined;
}

/** @returns undefined while there is no bucket to draw */
export function plotOf({ bucketMs, buckets }: History): Plot | undefined {
  if (buckets.length === 0) return undefined;
  const step = PLOT_WIDTH / buckets.length;
  const most = Math.max(...buckets.flatMap(({ inbound, outbound, waiting }) => [inbound, outbound, waiting]));
  const scale = scaleFor(most);
  const unit = (PLOT_AXIS - MARGIN) / scale;

  return {
    inbound: bars(
      buckets,
      step,
      ({ inbound }) => inbound * unit,
      (height) => PLOT_AXIS - AXIS_GAP - height,
    ),
    outbound: bars(
      buckets,
      step,
      ({ outbound }) => outbound * unit,
      () => PLOT_AXIS + AXIS_GAP,
    ),
    ...waitingLine(buckets, step, unit),
    tick: scale * TICK_SHARE,
    times: Array.from(
      { length: LABELS },
      (_, quarter) => buckets[Math.floor((quarter * buckets.length) / LABELS)]?.at ?? 0,
    ),
    bucketMs,
    totalIn: sum(buckets, ({ inbound }) => inbound),
    totalOut: sum(buckets, ({ outbound }) => outbound),
    peak: peakOf(buckets),
  };
}

function bars(
  buckets: readonly HistoryBucket[],
  step: number,
  heightOf: (bucket: HistoryBucket) => number,
  topOf: (height: number) => number,
): PlotRect[] {
  const width = step * BAR_SHARE;
  return buckets.flatMap((bucket, index) => {
    const height = heightOf(bucket);
    return height === 0 ? [] : [{ x: index * step + (step - width) / 2, y: topOf(height), width, height }];
  });
}

function waitingLine(
  buckets: readonly HistoryBucket[],
  step: number,
  unit: number,
): { readonly waiting: string; readonly end: Plot['end'] } {
  const first = buckets.findIndex(({ waiting }) => waiting > 0);
  if (first === -1) return { waiting: '', end: undefined };
  const heights = buckets.slice(first).map(({ waiting }) => round(PLOT_AXIS - waiting * unit));
  const steps = heights.map((y, index) => `V${y}H${round((first + index + 1) * step)}`);
  return {
    waiting: `M${round(first * step)} ${PLOT_AXIS}${steps.join('')}`,
    end: { x: PLOT_WIDTH, y: heights.at(-1) ?? PLOT_AXIS },
  };
}

function peakOf(buckets: readonly HistoryBucket[]): Plot['peak'] {
  const highest = buckets.reduce<HistoryBucket | undefined>(
    (best, bucket) => (bucket.waiting > (best?.waiting ?? 0) ? bucket : best),
    undefined,
  );
  return highest === undefined ? undefined : { waiting: highest.waiting, at: highest.at };
}

/** The least scale that holds `most` and of which three quarters are a count worth reading: 4, 8, 12, 16, 20, 28, 40, 80, … */
function scaleFor(most: number): number {
  const quarter = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(quarter));
  const factor = [1, 2, 3, 4, 5, 7].find((candidate) => candidate * power >= quarter) ?? 10;
  return 4 * factor * power;
}

function sum(buckets: readonly HistoryBucket[], of: (bucket: HistoryBucket) => number): number {
  return buckets.reduce((total, bucket) => total + of(bucket), 0);
}

/** Path data in tenths: what is finer can't be seen. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
