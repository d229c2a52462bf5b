// The two sides of a figure take turns, so that a machine that grows busy or slow does so for both.

/**
 * Runs `baseline` and `product` alternately, each `rounds` times, and lets them swap who begins: whoever comes second finds
 * warmer caches and a dirtier disk.
 * @returns the results of each side, in order
 */
export async function alternate(rounds, { baseline, product }) {
  const results = { baseline: [], product: [] };
  const sides = [
    ['baseline', baseline],
    ['product', product],
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of round % 2 === 0 ? sides : [...sides].reverse()) results[name].push(await run(round));
  }
  return results;
}

/** Turns `[{a, b}, {a, b}]` into `[a, a]`. */
export function pluck(results, key) {
  return results.map((result) => result[key]);
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
