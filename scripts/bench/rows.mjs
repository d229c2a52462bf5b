// A row of the table: what was measured, against what, and whether that is enough.
import { median } from './statistics.mjs';

/**
 * Product against baseline, round by round: the ratio of each round, then their median.
 * @param target `{ atMost }` or `{ atLeast }` of the ratio
 */
export function compared({ name, unit, product, baseline, target }) {
  const ratios = product.map((value, round) => value / baseline[round]);
  const ratio = median(ratios);
  return {
    name,
    unit,
    product: median(product),
    baseline: median(baseline),
    ratio,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    rounds: ratios.length,
    target: wordsOf(target, '×'),
    reached: isReached(ratio, target),
  };
}

/** A value that is held against a limit of its own. Without a target it is told and not judged. */
export function measured({ name, unit, product, target }) {
  const value = median(product);
  return {
    name,
    unit,
    product: value,
    baseline: undefined,
    ratio: undefined,
    spread: [Math.min(...product), Math.max(...product)],
    rounds: product.length,
    target: target && wordsOf(target, ` ${unit}`),
    reached: target && isReached(value, target),
  };
}

function isReached(value, { atMost, atLeast }) {
  return atMost === undefined ? value >= atLeast : value <= atMost;
}

function wordsOf({ atMost, atLeast }, unit) {
  return atMost === undefined ? `≥ ${atLeast}${unit}` : `≤ ${atMost}${unit}`;
}
