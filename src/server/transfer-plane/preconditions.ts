/** The conditional headers of a request; each `''` when it was not sent. */
export interface Preconditions {
  readonly ifMatch: string;
  readonly ifNoneMatch: string;
}

/**
 * Reads the preconditions of a `GET` or `HEAD` (RFC 9110 section 13.2.2) for a file with the strong entity tag `etag`, of whose
 * characters none separates a list. Dates are no precondition here: no `Last-Modified` is ever sent.
 */
export function checkPreconditions(asked: Preconditions, etag: string): 'go_on' | 'not_modified' | 'failed' {
  if (asked.ifMatch !== '' && !names(asked.ifMatch, (tag) => tag === etag)) return 'failed';
  if (asked.ifNoneMatch !== '' && names(asked.ifNoneMatch, (tag) => tag.replace(/^W\//, '') === etag)) {
    return 'not_modified';
  }
  return 'go_on';
}

function names(list: string, isOurs: (tag: string) => boolean): boolean {
  return list.split(',').some((item) => item.trim() === '*' || isOurs(item.trim()));
}
