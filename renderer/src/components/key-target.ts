interface Keys {
  readonly back: string;
  readonly forward: string;
}

/**
 * Where a key leads from the place `at` in a row of `count` things: one on or back, round the ends, or to either end.
 * @returns undefined for every other key
 */
export function keyTarget(key: string, { back, forward }: Keys, at: number, count: number): number | undefined {
  switch (key) {
    case forward:
      return (at + 1) % count;
    case back:
      return (at - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
