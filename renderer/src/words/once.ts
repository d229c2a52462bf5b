/**
 * Makes a thing when it is first asked for. What writes numbers and times takes milliseconds each to be made, which a window that
 * opens would wait for.
 */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
