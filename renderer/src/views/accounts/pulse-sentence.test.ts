import { expect, it } from 'vitest';
import { createWords } from '../../words/index.js';
import { pulseSentence } from './pulse-sentence.js';

const words = createWords('en');

it.each([
  ['a'.repeat(30), 'Answered every minute of the last 30'],
  [`${'a'.repeat(29)}n`, 'Answered every minute of the last 29'],
  [`${'-'.repeat(28)}aa`, 'Answered every minute of the last 2'],
  [`aaa${'n'.repeat(27)}`, 'No answer for the last 26 minutes'],
  [`${'a'.repeat(27)}lnn`, 'No answer for the last minute'],
  [`${'a'.repeat(10)}nn${'a'.repeat(18)}`, 'Answered in 28 of the last 30 minutes'],
  [`${'a'.repeat(18)}${'s'.repeat(8)}aaaa`, 'Answered in 22 of the last 22 minutes, asleep for 8\u00a0min'],
])('%s says: %s', (pulse, sentence) => {
  expect(pulseSentence(pulse, words)).toBe(sentence);
});
