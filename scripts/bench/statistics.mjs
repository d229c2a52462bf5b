// Numbers about numbers. Samples are arrays in any order; empty ones are a fault of the caller.

/** The value below which `share` (0 to 1) of the samples lie. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Slope of a line through points `[x, y]` by the median of all pairs (Theil–Sen): a few wild points do not tilt it. */
export function slope(points) {
  const slopes = [];
  for (let i = 0; i < points.length; i += 1) {
    for (let j = i + 1; j < points.length; j += 1) {
      const [[x1, y1], [x2, y2]] = [points[i], points[j]];
      if (x2 !== x1) slopes.push((y2 - y1) / (x2 - x1));
    }
  }
  return median(slopes);
}
