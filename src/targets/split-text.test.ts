import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codePoints, headOf, splitText, utf16Units, utf8Bytes, type TextLimit } from './split-text.js';

const utf16 = (max: number): TextLimit => ({ max, measure: utf16Units });
const bytes = (max: number): TextLimit => ({ max, measure: utf8Bytes });
const FAMILY = '👨‍👩‍👧‍👦';
const FLAG = '🇨🇳';

/** Text as people and agents write it: words, lines, fences, and everything that tears easily. */
const prose = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        '\n',
        '\n\n',
        '. ',
        '。',
        '```\n',
        '```ts\n',
        '~~~\n',
        FAMILY,
        FLAG,
        'é',
        '\r\n',
        '😀',
        '  ',
      ),
      fc.string({ unit: 'grapheme', maxLength: 12 }),
    ),
    { maxLength: 80 },
  )
  .map((pieces) => pieces.join(''));

const tornSurrogate = /\p{Surrogate}/u;
const count = (text: string, measure: (codePoint: number) => number): number =>
  Array.from(text).reduce((sum, char) => sum + measure(char.codePointAt(0) ?? 0), 0);

describe('splitText keeps the text', () => {
  it('joins to exactly the text, whatever the limit', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 1, max: 60 }), (text, max) => {
        expect(splitText(text, utf16(max)).join('')).toBe(text);
      }),
    );
  });

  it('ends for the limits 1 to 5, with parts that are never empty and never tear a character', () => {
    fc.assert(
      fc.property(prose, fc.integer({ min: 1, max: 5 }), (text, max) => {
        for (const part of splitText(text, utf16(max))) {
          expect(part.length).toBeGreaterThan(0);
          expect(tornSurrogate.test(part)).toBe(false);
        }
      }),
    );
  });

  it('keeps every part within the limit in each measure, a single code point that is larger alone excepted', () => {
    fc.assert(
      fc.property(
        prose,
        fc.integer({ min: 1, max: 40 }),
        fc.constantFrom(utf16Units, codePoints, utf8Bytes),
        (text, max, measure) => {
          for (const part of splitText(text, { max, measure })) {
            if (Array.from(part).length > 1) expect(count(part, measure)).toBeLessThanOrEqual(max);
          }
        },
      ),
    );
  });

  it('keeps two limits at once', () => {
    const text = 'ж'.repeat(50) + 'a'.repeat(50);
    const parts = splitText(text, { max: 30, measure: codePoints }, bytes(40));
    expect(parts.join('')).toBe(text);
    for (const part of parts) {
      expect(Array.from(part).length).toBeLessThanOrEqual(30);
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(40);
    }
  });

  it('agrees with a segmenter over the whole text on every border it cuts at', () => {
    const unit = fc.oneof(
      fc.constantFrom(
        'a',
        ' ',
        '\r',
        '\n',
        '。',
        '漢',
        'か',
        '\u3099',
        '\u0301',
        '\u200d',
        '\ufe0f',
        '👨',
        '🏽',
        '🇩',
        '🇪',
        '각',
        '\u11a8',
        '\u0600',
        'ﾞ',
      ),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 200 }), fc.integer({ min: 8, max: 60 }), (units, max) => {
        const text = units.join('');
        const borders = new Set(Array.from(new Intl.Segmenter().segment(text), ({ index }) => index));
        let at = 0;
        for (const part of splitText(text, { max, measure: utf16Units }).slice(0, -1)) {
          const from = at;
          at += part.length;
          const fits = [...borders].some((border) => border > from && border <= at);
          if (fits) expect(borders.has(at)).toBe(true);
        }
      }),
    );
  });

  it('never tears a grapheme that fits into a part', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(FAMILY, FLAG, 'e\u0301', 'a', '\r\n'), { maxLength: 40 }), (clusters) => {
        const text = clusters.join('');
        const whole = new Set([0]);
        for (const { index, segment } of new Intl.Segmenter().segment(text)) whole.add(index + segment.length);
        let at = 0;
        for (const part of splitText(text, utf16(16))) {
          at += part.length;
          expect(whole.has(at)).toBe(true);
        }
      }),
    );
  });

  it('gives no parts for no text, and one for a text that fits', () => {
    expect(splitText('', utf16(10))).toEqual([]);
    expect(splitText('0123456789', utf16(10))).toEqual(['0123456789']);
  });

  it('refuses a limit below one instead of looping', () => {
    for (const max of [0, -1, 0.5, Number.NaN]) expect(() => splitText('text', utf16(max))).toThrow(RangeError);
  });
});

describe('splitText chooses its borders', () => {
  it('prefers a paragraph to a line, a line to a sentence, a sentence to a word', () => {
    expect(splitText('one two\n\nthree\nfour. five six', utf16(20))[0]).toBe('one two\n\nthree\n');
    expect(splitText('aaaa bbbb\n\ncc dd ee', utf16(16))[0]).toBe('aaaa bbbb\n\n');
    expect(splitText('aaaa bbbb. cc\ndd ee', utf16(16))[0]).toBe('aaaa bbbb. cc\n');
    expect(splitText('aaaa bbbb. cc dd ee', utf16(15))[0]).toBe('aaaa bbbb. ');
    expect(splitText('aaaa bbbb cc', utf16(11))[0]).toBe('aaaa bbbb ');
  });

  it('does not cut at a blank line near the start when the rest would be nearly empty', () => {
    expect(splitText('a\n\nbbbb cccc dddd eeee', utf16(16))[0]).toBe('a\n\nbbbb cccc ');
  });

  it('ends a sentence without a space where the script has none', () => {
    expect(splitText('今天天气很好。我们去公园吧', utf16(9))[0]).toBe('今天天气很好。');
  });

  it('moves a link that fits into the next part whole', () => {
    const link = `https://example.org/${'x'.repeat(30)}`;
    expect(splitText(`see ${link} please`, utf16(52))).toEqual(['see ', `${link} `, 'please']);
  });

  it('never cuts a code fence that fits into one part', () => {
    const fence = '```ts\nconst a = 1;\n\nconst b = 2;\n```\n';
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 120 }), fc.integer({ min: fence.length, max: 80 }), (before, max) => {
        const text = `${'word '.repeat(before)}\n${fence}${'tail '.repeat(30)}`;
        expect(splitText(text, utf16(max)).some((part) => part.includes(fence))).toBe(true);
      }),
    );
  });

  it('cuts a fence that is too large at the end of one of its lines', () => {
    const text = `\`\`\`\n${'0123456789\n'.repeat(20)}\`\`\``;
    for (const part of splitText(text, utf16(50)).slice(0, -1)) expect(part.endsWith('\n')).toBe(true);
  });

  it('takes inline code on one line for words, not for a fence', () => {
    expect(splitText('```a b``` cc dd', utf16(13))[0]).toBe('```a b``` cc ');
  });
});

describe('splitText is linear', () => {
  it.each([
    ['one long word', 'x'.repeat(1 << 20)],
    ['prose', 'Lorem ipsum dolor sit amet. '.repeat(1 << 15)],
    ['many small fences', '```\na\n```\n'.repeat(100_000)],
    ['only line ends', '\n'.repeat(1 << 20)],
    ['emoji', FAMILY.repeat(90_000)],
  ])('takes a megabyte of %s within seconds', (_name, text) => {
    const begun = performance.now();
    expect(splitText(text, utf16(4096)).join('').length).toBe(text.length);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('headOf', () => {
  it('gives the whole text when it fits, else a beginning that ends on a grapheme', () => {
    expect(headOf('short', utf16(10))).toBe('short');
    expect(headOf(`ab${FAMILY}`, utf16(8))).toBe('ab');
  });
});
