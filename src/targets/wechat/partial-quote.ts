import { createHash } from 'node:crypto';
import type { PartialQuote } from './wire.js';

/**
 * The part of a text that a quote marks. Where the end's occurrence is counted from is not known for certain: from the
 * text's beginning or from behind the start. The mark's MD5 decides; without one, the beginning.
 * @returns undefined when the mark does not fit the text
 */
export function partOf(text: string, mark: PartialQuote): string | undefined {
  const start = occurrence(text, mark.start, mark.startIndex, 0);
  if (start < 0) return undefined;
  const parts = [0, start + mark.start.length].flatMap((from) => {
    const end = occurrence(text, mark.end, mark.endIndex, from);
    return end < start ? [] : [text.slice(start, end + mark.end.length)];
  });
  if (mark.md5 === undefined) return parts[0];
  return parts.find((part) => createHash('md5').update(part).digest('hex') === mark.md5);
}

/** Where the `index`th occurrence (from 0) of `words` at or behind `from` begins; -1 when there are fewer. */
function occurrence(text: string, words: string, index: number, from: number): number {
  let at = text.indexOf(words, from);
  for (let seen = 0; seen < index && at >= 0; seen += 1) at = text.indexOf(words, at + words.length);
  return at;
}
