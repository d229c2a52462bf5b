import { createContext, use } from 'react';
import { createWords, type Words } from './words.js';

export const WordsContext = createContext<Words>(createWords('en'));

/** The window's words in the language of the person. */
export function useWords(): Words {
  return use(WordsContext);
}
