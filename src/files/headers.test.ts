import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentDisposition, safeContentType } from './headers.js';

describe('Content-Disposition', () => {
  it.each([
    ['image.jpg', 'attachment; filename="image.jpg"'],
    ['two words.txt', 'attachment; filename="two words.txt"'],
    ['报告.pdf', 'attachment; filename="__.pdf"; filename*=UTF-8\'\'%E6%8A%A5%E5%91%8A.pdf'],
    ['a"b\\c%41.txt', 'attachment; filename="a_b_c_41.txt"; filename*=UTF-8\'\'a%22b%5Cc%2541.txt'],
    ["it's (1)*é.txt", "attachment; filename=\"it's (1)*_.txt\"; filename*=UTF-8''it%27s%20%281%29%2A%C3%A9.txt"],
  ])('of %s', (filename, expected) => {
    expect(contentDisposition(filename)).toBe(expected);
  });

  it('may ask to be shown', () => {
    expect(contentDisposition('a.png', 'inline')).toBe('inline; filename="a.png"');
  });

  it('is a legal header and gives the exact name back, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (filename) => {
        const value = contentDisposition(filename);
        expect(value).toMatch(
          /^attachment; filename="[\x20\x21\x23-\x5b\x5d-\x7e]*"(; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]*)?$/,
        );
        const exact = /filename\*=UTF-8''(.*)$/.exec(value)?.[1];
        const plain = /filename="(.*?)"/.exec(value)?.[1];
        expect(exact === undefined ? plain : decodeURIComponent(exact)).toBe(filename);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('Content-Type', () => {
  it.each(['image/png', 'video/mp4', 'audio/ogg', 'application/pdf', 'text/plain', 'application/json'])(
    '%s can be shown as it is',
    (type) => {
      expect(safeContentType(type)).toBe(type);
    },
  );

  it.each([
    'text/html',
    'TEXT/HTML',
    'image/svg+xml',
    'application/xhtml+xml',
    'application/xml',
    'text/javascript',
    'application/x-sh',
    'junk',
    '',
    'text/plain\r\nX: y',
    'image/png, text/html',
  ])('%j goes out as bytes', (type) => {
    expect(safeContentType(type)).toBe('application/octet-stream');
  });
});
