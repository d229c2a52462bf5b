import { expect, test } from 'vitest';
import { errorCode } from './error-code.js';

test.each([
  [Object.assign(new Error('x'), { code: 'ENOENT' }), 'ENOENT'],
  [Object.assign(new Error('x'), { code: '' }), undefined],
  [Object.assign(new Error('x'), { code: 7 }), undefined],
  [new Error('x'), undefined],
  [{ code: 'ENOENT' }, undefined],
  [undefined, undefined],
])('the code of %j is %j', (error, code) => {
  expect(errorCode(error)).toBe(code);
});
