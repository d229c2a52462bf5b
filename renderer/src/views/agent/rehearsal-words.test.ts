import { expect, it } from 'vitest';
import { REHEARSAL_CODES, REHEARSAL_STEPS } from '../../../../src/bridge/rehearsal.js';
import { createWords } from '../../words/index.js';

const words = createWords('en');

it.each(REHEARSAL_STEPS)('has words for the step %s', (step) => {
  expect(words.knows('agent.rehearsal.steps', step)).toBe(true);
});

it.each(REHEARSAL_CODES)('says what to do about %s', (code) => {
  expect(words.knows('agent.rehearsal.codes', code)).toBe(true);
});
