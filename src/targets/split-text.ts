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

/** For networks that refuse half a surrogate pair; the reader sees the replacement character either way. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}

/** The longest beginning of a text that keeps every limit and ends on a grapheme border. */
export function headOf(text: string, ...limits: readonly TextLimit[]): string {
  const end = reach(text, 0, limits);
  if (end === text.length) return text;
  return text.slice(0, new GraphemeWindow(text, 0, end).borderAtOrBefore(end));
}

class Cutter {
  readonly #text: string;
  readonly #limits: readonly TextLimit[];
  readonly #fences: readonly Fence[];
  readonly #fenceEdges: ReadonlySet<number>;

  constructor(text: string, limits: readonly TextLimit[]) {
    this.#text = text;
    this.#limits = limits;
    this.#fences = findFences(text);
    this.#fenceEdges = new Set(this.#fences.flatMap(({ start, end }) => [start, end]));
  }

  /** Where the part that begins at `start` ends; always beyond `start`. */
  next(start: number): number {
    const end = reach(this.#text, start, this.#limits);
    if (end === this.#text.length) return end;
    const fence = this.#fenceAround(end);
    if (fence && fence.start > start && reach(this.#text, fence.start, this.#limits) >= fence.end) return fence.start;
    const window = new GraphemeWindow(this.#text, start, end);
    return this.#bestBorder(start, end, window) ?? window.borderAtOrBefore(end);
  }

  #bestBorder(start: number, end: number, window: GraphemeWindow): number | undefined {
    const found = new Map<BorderKind, number>();
    const half = start + Math.floor((end - start) / 2);
    for (let at = end; at > start; at -= 1) {
      if (found.has('paragraph') || (at < half && found.size > 0)) break;
      const kind = this.#kindOf(at);
      if (kind !== undefined && !found.has(kind) && window.isBorder(at)) found.set(kind, at);
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

/** Graphemes are told apart this many UTF-16 units at a time: far more than one of them has, and little to copy. */
const SEGMENTED_UNITS = 64;
/**
 * First and last code units of blocks in which nothing joins its neighbour into one grapheme, but for a line feed after a
 * carriage return: Latin, CJK with kana but its combining marks, full-width forms. Most text is decided by these alone.
 */
const STANDALONE = [
  [0x0000, 0x02ff],
  [0x2e80, 0x3029],
  [0x3030, 0x3098],
  [0x309b, 0xa4cf],
  [0xff01, 0xff9d],
] as const;

/**
 * Grapheme borders between the start of a part, which is one, and its furthest end. A segmenter copies its whole text with
 * every segment it names, so it is given little at a time; what follows a border matters by one code point.
 */
class GraphemeWindow {
  readonly #text: string;
  readonly #start: number;
  readonly #end: number;
  #borders: ReadonlySet<number> | undefined;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#start = start;
    this.#end = end;
  }

  isBorder(at: number): boolean {
    const before = this.#text.charCodeAt(at - 1);
    const after = this.#text.charCodeAt(at);
    if (standsAlone(before) && standsAlone(after)) return before !== 0x0d || after !== 0x0a;
    return this.#all().has(at);
  }

  /** `end`, or the start of the grapheme it would tear when that leaves anything. */
  borderAtOrBefore(end: number): number {
    for (let at = end; at > this.#start; at -= 1) if (this.isBorder(at)) return at;
    return end;
  }

  #all(): ReadonlySet<number> {
    this.#borders ??= this.#read();
    return this.#borders;
  }

  #read(): ReadonlySet<number> {
    const borders = new Set<number>([this.#start]);
    for (let from = this.#start; from < this.#end;) {
      const found = this.#bordersAfter(from);
      for (const border of found) borders.add(border);
      from = found.at(-1) ?? this.#end;
    }
    return borders;
  }

  /** Some borders after a border, at least the next one; none when the last grapheme begins there. */
  #bordersAfter(from: number): number[] {
    for (let length = SEGMENTED_UNITS; ; length *= 2) {
      const end = Math.min(from + length, this.#end);
      const beyond = utf16Units(this.#text.codePointAt(end) ?? 0);
      const found: number[] = [];
      for (const { index } of graphemes.segment(this.#text.slice(from, end + beyond))) {
        // What follows the slice may join its last grapheme, so only a border with a whole code point after it counts.
        if (index > 0 && from + index <= end) found.push(from + index);
      }
      if (found.length > 0 || end === this.#end) return found;
    }
  }
}

function standsAlone(unit: number): boolean {
  return STANDALONE.some(([first, last]) => unit >= first && unit <= last);
}
