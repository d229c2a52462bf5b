/**
 * What the window says: one map by code in English and Simplified Chinese, split per view, with values put in by name and
 * numbers, times and sizes as each language writes them.
 */
export { useWords, WordsContext } from './context.js';
export type { Format } from './format.js';
export type { Values } from './phrase.js';
export { createWords, type Words } from './words.js';
