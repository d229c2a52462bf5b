import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanFilename, MAX_FILENAME_BYTES } from './filename.js';

const clean = (name: string | undefined): string => cleanFilename(name, 'image/png', 'image');

describe('the name of a file', () => {
  it.each([
    ['photo.png', 'photo.png'],
    ['Отчёт 报告 👩‍👩‍👧.pdf', 'Отчёт 报告 👩‍👩‍👧.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\a.txt', 'a.txt'],
    ['a\u0000b\r\nc\u007f.txt', 'abc.txt'],
    ['invoice\u202egpj.exe', 'invoicegpj.exe'],
    ['what?<now>|"yes"*:.txt', 'what__now___yes___.txt'],
    ['trailing dots... ', 'trailing dots'],
    ['.bashrc', '.bashrc'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['com1.tar.gz', '_com1.tar.gz'],
    ['console.txt', 'console.txt'],
    ['cafe\u0301.txt', 'café.txt'],
    ['half \ud83d.txt', 'half \ufffd.txt'],
  ])('%j becomes %j', (given, expected) => {
    expect(clean(given)).toBe(expected);
  });

  it.each([undefined, '', '   ', '...', '/', 'a/', '\u202e', '\\'])('given %j, is made from the type', (given) => {
    expect(clean(given)).toBe('image.png');
    expect(cleanFilename(given, 'application/x-unheard-of', 'file')).toBe('file');
  });

  it('is cut to what file systems take, with its extension kept and no character broken', () => {
    const long = clean(`${'报'.repeat(200)}.docx`);
    expect(long).toBe(`${'报'.repeat(83)}.docx`);
    expect(Buffer.byteLength(clean('x'.repeat(300)))).toBe(MAX_FILENAME_BYTES);
    expect(Buffer.byteLength(clean(`a.${'x'.repeat(300)}`))).toBe(MAX_FILENAME_BYTES);
    expect(clean(`${'a'.repeat(253)}😀.png`)).toBe(`${'a'.repeat(251)}.png`);
  });

  it('whatever is given, can be saved anywhere, and cleaning it again changes nothing', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('.', ' ', '/', '\\', '\0', 'CON', 'é', '😀', '\u202e') }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          unit,
          unit.map((text) => text.repeat(50)),
        ),
        (given) => {
          const name = clean(given);
          expect(name).not.toBe('');
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_FILENAME_BYTES);
          expect(name).not.toMatch(/[/\\<>:"|?*\p{Cc}\p{Bidi_Control}]/u);
          expect(name).not.toMatch(/[. ]$/);
          expect(Buffer.from(name, 'utf8').toString('utf8')).toBe(name);
          expect(clean(name)).toBe(name);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
