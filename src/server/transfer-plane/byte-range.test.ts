import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { parseRange } from './byte-range.js';

describe('a Range header', () => {
  it.each([
    ['bytes=0-4', { start: 0, end: 4 }],
    ['bytes=5-', { start: 5, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=8-100', { start: 8, end: 9 }],
    ['BYTES=1-1', { start: 1, end: 1 }],
    [undefined, 'whole'],
    ['', 'whole'],
    ['bytes=', 'whole'],
    ['bytes=-', 'whole'],
    ['bytes=4-2', 'whole'],
    ['bytes=0-1,3-4', 'whole'],
    ['items=0-1', 'whole'],
    ['bytes=a-b', 'whole'],
    ['bytes=99999999999999999999-', 'whole'],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=10-12', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
  ])('%s of ten bytes', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected);
  });

  it('never leaves the file', () => {
    const number = fc.option(fc.nat({ max: 200 }), { nil: '' });
    fc.assert(
      fc.property(number, number, fc.integer({ min: 1, max: 100 }), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size);
        if (typeof range === 'string') return;
        expect(range.start).toBeGreaterThanOrEqual(0);
        expect(range.end).toBeLessThan(size);
        expect(range.start).toBeLessThanOrEqual(range.end);
      }),
    );
  });
});
