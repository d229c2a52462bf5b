import { expect, it } from 'vitest';
import { FINDING_CODES } from '../../../../src/bridge/codes.js';
import { createWords } from '../../words/index.js';

const words = createWords('en');

it.each(FINDING_CODES)('has words for %s', (code) => {
  expect(words.knows('doctor', code)).toBe(true);
});
