const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first `limit` characters as a person counts them; an emoji is never cut in two. */
export function firstCharacters(text: string, limit: number): string {
  let end = 0;
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (taken === limit) break;
    taken += 1;
    end += segment.length;
  }
  return text.slice(0, end);
}

/** Unicode code points of a text. */
export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
