/** Client errors that speak of the moment, not of what was asked for: too late, too early, too often. */
const PASSING: readonly number[] = [408, 425, 429];

/**
 * Whether a file server's HTTP status is its last word: the file is not to be had any more, or will not be taken. All else that is no
 * success speaks of the moment, and of whoever stands between: a gateway's own page, a redirect to somewhere else.
 */
export function isFinalStatus(status: number): boolean {
  return status >= 400 && status < 500 && !PASSING.includes(status);
}
