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
/** A day without traffic still has a scale. */
const LEAST_RANGE = 4;
/** Times written under the plot, without the end. */
const LABELS = 4;

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
  /** A round count and the two heights at which it stands. */
  readonly tick: { readonly count: number; readonly above: number; readonly below: number };
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
  const most = Math.max(
    LEAST_RANGE,
    ...buckets.flatMap(({ inbound, outbound, waiting }) => [inbound, outbound, waiting]),
  );
  const unit = (PLOT_AXIS - MARGIN) / most;
  const count = roundCount(most);

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
    tick: { count, above: PLOT_AXIS - count * unit, below: PLOT_AXIS + count * unit },
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

/** The largest of 1, 2, 5, 10, 20, 50, … that is not above `most`. */
function roundCount(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const factor = [5, 2, 1].find((candidate) => candidate * power <= most) ?? 1;
  return factor * power;
}

function sum(buckets: readonly HistoryBucket[], of: (bucket: HistoryBucket) => number): number {
  return buckets.reduce((total, bucket) => total + of(bucket), 0);
}

/** Path data in tenths: what is finer can't be seen. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
