import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { jsonFault } from './json-fault.js';

describe('the place where a text stops being JSON', () => {
  it.each([
    ['{"a": 1,}', 1, 9],
    ['{\n  // why\n  "a": 1\n}', 2, 3],
    ['{\r\n  "a": 1\r\n  "b": 2\r\n}', 3, 3],
    ["{'a': 1}", 1, 2],
    ['{"a": 01}', 1, 8],
    ['{"a": "b\nc"}', 1, 7],
    ['{"a": [1, 2}', 1, 12],
    ['{"a": 1', 1, 8],
    ['{"a": 1}}', 1, 9],
    ['', 1, 1],
    ['{"a": tru}', 1, 7],
  ])('of %j is line %d, column %d', (text, line, column) => {
    expect(jsonFault(text)).toEqual({ line, column });
  });
});

test('it finds one exactly where there is one', () => {
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  const cut = fc.record({
    text: fc.json({ depthSize: 'medium' }),
    at: fc.nat(),
    in: fc.constantFrom('', ',', '}', ']', '"', ' ', '0', '\n'),
  });
  fc.assert(
    fc.property(cut, ({ text, at, in: put }) => {
      const mangled = text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + (at % 2));
      expect(jsonFault(mangled) === undefined).toBe(isJson(mangled));
    }),
    { numRuns: 3_000 },
  );
});
