import type { PhraseList } from '../phrase.js';

/** What the doctor found, by code, and what to do about it. */
export const doctor = {
  'doctor.other': 'code {code}',
  'doctor.todo.other': 'The log says more (code {code}).',
} as const satisfies PhraseList;
