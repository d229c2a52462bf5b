import { findFences, type Fence } from './code-fences.js';

/** What one code point counts toward a limit. */
export type TextMeasure = (codePoint: number) => number;

export const utf16Units: TextMeasure = (codePoint) => (codePoint > 0xffff ? 2 : 1);
export const codePoints: TextMeasure = () => 1;
export const utf8Bytes: TextMeasure = (codePoint) => {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint > 0xffff ? 4 : 3;
};

export interface TextLimit {
  readonly max: number;
  readonly measure: TextMeasure;
}

/**
 * How good a border is to cut at, best first; within one kind the latest wins. Those in the first half of a part count only
 * when the second half has none, so that a blank line near the start does not make a tiny part.
 */
const BORDERS = ['paragraph', 'line', 'sentence', 'word', 'fencedLine', 'fencedWord'] as const;
type BorderKind = (typeof BORDERS)[number];

const WHITESPACE = /\s/;
const SENTENCE_END = /[.!?…:;]/;
/** Sentence ends of scripts that put no space after them. */
const WIDE_SENTENCE_END = /[。！？；｡]/;
const BLANK_LINE = /\n[ \t]*\r?\n$/;
/** How far back a blank line is looked for; one with more spaces than this is taken for a line. */
const BLANK_LINE_REACH = 16;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Cuts a text into parts that each keep every limit. The parts joined are the text, exactly: nothing is trimmed or inserted.
 * A cut falls on the best border that leaves the part well filled: paragraph, line, sentence, word, then grapheme; a code
 * fence that fits into one part is never cut. Only a grapheme larger than a whole part is cut inside, between code
 * points; a single code point is never torn, even where it alone exceeds the limit. Linear in the text's length.
 * @returns no parts for an empty text
 * @throws RangeError when a limit is below 1
 */
export function splitText(text: string, ...limits: readonly TextLimit[]): string[] {
  for (const { max } of limits) if (!(max >= 1)) throw new RangeError('A text limit must be at least 1');
  const parts: string[] = [];
  const cutter = new Cutter(text, limits);
  for (let start = 0; start < text.length;) {
    const cut = cutter.next(start);
    parts.push(text.slice(start, cut));
    start = cut;
  }
  return parts;
}

/** The longest beginning of a text that keeps every limit and ends on a grapheme border. */
export function headOf(text: string, ...limits: readonly TextLimit[]): string {
  const end = reach(text, 0, limits);
  if (end === text.length) return text;
  return text.slice(0, graphemeBorder(graphemes.segment(text), 0, end));
}

class Cutter {
  readonly #text: string;
  readonly #limits: readonly TextLimit[];
  readonly #segments: Intl.Segments;
  readonly #fences: readonly Fence[];
  readonly #fenceEdges: ReadonlySet<number>;

  constructor(text: string, limits: readonly TextLimit[]) {
    this.#text = text;
    this.#limits = limits;
    this.#segments = graphemes.segment(text);
    this.#fences = findFences(text);
    this.#fenceEdges = new Set(this.#fences.flatMap(({ start, end }) => [start, end]));
  }

  /** Where the part that begins at `start` ends; always beyond `start`. */
  next(start: number): number {
    const end = reach(this.#text, start, this.#limits);
    if (end === this.#text.length) return end;
    const fence = this.#fenceAround(end);
    if (fence && fence.start > start && reach(this.#text, fence.start, this.#limits) >= fence.end) return fence.start;
    return this.#bestBorder(start, end) ?? graphemeBorder(this.#segments, start, end);
  }

  #bestBorder(start: number, end: number): number | undefined {
    const found = new Map<BorderKind, number>();
    const half = start + Math.floor((end - start) / 2);
    for (let at = end; at > start; at -= 1) {
      if (found.has('paragraph') || (at < half && found.size > 0)) break;
      const kind = this.#kindOf(at);
      if (kind !== undefined && !found.has(kind) && this.#isGraphemeBorder(at)) found.set(kind, at);
    }
    const best = BORDERS.find((kind) => found.has(kind));
    return best && found.get(best);
  }

  #kindOf(at: number): BorderKind | undefined {
    const before = this.#text.charAt(at - 1);
    const after = this.#text.charAt(at);
    const afterSpace = WHITESPACE.test(before);
    if (!afterSpace && !WHITESPACE.test(after) && !WIDE_SENTENCE_END.test(before)) return undefined;
    if (this.#fenceAround(at)) {
      if (before === '\n') return 'fencedLine';
      return afterSpace ? 'fencedWord' : undefined;
    }
    if (before === '\n' && after !== '\n' && after !== '\r') return this.#endsParagraph(at) ? 'paragraph' : 'line';
    if (WIDE_SENTENCE_END.test(before)) return 'sentence';
    const sentence = afterSpace && SENTENCE_END.test(this.#text.charAt(at - 2)) && !WHITESPACE.test(after);
    return sentence ? 'sentence' : 'word';
  }

  /** A blank line ends here, or a code fence begins or ends. */
  #endsParagraph(at: number): boolean {
    return this.#fenceEdges.has(at) || BLANK_LINE.test(this.#text.slice(Math.max(0, at - BLANK_LINE_REACH), at));
  }

  #isGraphemeBorder(at: number): boolean {
    return this.#segments.containing(at)?.index === at;
  }

  /** The fence that a cut at this place would tear. */
  #fenceAround(at: number): Fence | undefined {
    let low = 0;
    let high = this.#fences.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#fences[middle]?.start ?? Infinity) < at) low = middle + 1;
      else high = middle;
    }
    const fence = this.#fences[low - 1];
    return fence && at < fence.end ? fence : undefined;
  }
}

/** The furthest end from `start` that keeps every limit: between code points, and at least one code point on. */
function reach(text: string, start: number, limits: readonly TextLimit[]): number {
  let end = text.length;
  for (const { max, measure } of limits) {
    let size = 0;
    let at = start;
    while (at < end) {
      const codePoint = text.codePointAt(at) ?? 0;
      size += measure(codePoint);
      if (size > max && at > start) break;
      at += utf16Units(codePoint);
    }
    end = at;
  }
  return end;
}

/** `end`, or the start of the grapheme it would tear when that leaves anything. */
function graphemeBorder(segments: Intl.Segments, start: number, end: number): number {
  const index = segments.containing(end)?.index ?? end;
  return index > start ? index : end;
}
