import { expect, it } from 'vitest';
import { checkPreconditions } from './preconditions.js';

const ETAG = '"0a1b"';

it.each([
  ['', '', 'go_on'],
  [ETAG, '', 'go_on'],
  ['*', '', 'go_on'],
  [`"other", ${ETAG}`, '', 'go_on'],
  ['"other"', '', 'failed'],
  // Compared strongly: a weak tag is never the same.
  [`W/${ETAG}`, '', 'failed'],
  ['', ETAG, 'not_modified'],
  ['', `W/${ETAG}`, 'not_modified'],
  ['', '*', 'not_modified'],
  ['', `"other" , ${ETAG}`, 'not_modified'],
  ['', '"other"', 'go_on'],
  ['', '0a1b', 'go_on'],
  [ETAG, ETAG, 'not_modified'],
  ['"other"', ETAG, 'failed'],
] as const)('If-Match %s and If-None-Match %s', (ifMatch, ifNoneMatch, expected) => {
  expect(checkPreconditions({ ifMatch, ifNoneMatch }, ETAG)).toBe(expected);
});
