import type { PhraseList } from '../phrase.js';

/** Connect: choosing a network, scanning, filling in. */
export const connect = {
  'connect.choose': 'Connect an account',
  'connect.to': 'Connect {network}',
  'body.label': 'Content',
} as const satisfies PhraseList;
