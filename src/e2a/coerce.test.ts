import { describe, expect, it } from 'vitest';
import { isTruthy, listOrEmpty, plainText, wholeNumber } from './coerce.js';
import { E2AError } from './errors.js';

describe('truth', () => {
  it.each([null, undefined, false, 0, '', [], {}])('is not in %j', (value) => {
    expect(isTruthy(value)).toBe(false);
  });

  it.each([true, 1, -1, 'false', ' ', [0], { a: null }])('is in %j', (value) => {
    expect(isTruthy(value)).toBe(true);
  });
});

describe('a whole number', () => {
  it.each([
    [3, 3],
    [2.9, 2],
    [-2.9, -2],
    ['3', 3],
    [' -7 ', -7],
    ['1_000', 1000],
    [true, 1],
  ])('is read from %j as %i', (value, expected) => {
    expect(wholeNumber(value, 'sequence')).toBe(expected);
  });

  it.each(['', 'x', '2.5', '1__0', null, [], {}])('is 0 where %j has none', (value) => {
    expect(wholeNumber(value, 'sequence')).toBe(0);
  });

  it('is refused when it is out of range', () => {
    expect(() => wholeNumber(Infinity, 'sequence')).toThrow(E2AError);
  });
});

describe('text', () => {
  it.each([
    ['as it is', 'as it is'],
    [null, 'None'],
    [true, 'True'],
    [1.5, '1.5'],
    [1e-7, '1e-07'],
    [0.00001, '1e-05'],
    [[1, 'a', null], "[1, 'a', None]"],
    [{ k: "it's" }, `{'k': "it's"}`],
    [['"\'\n'], `['"\\'\\n']`],
  ])('of %j is %s', (value, expected) => {
    expect(plainText(value)).toBe(expected);
  });
});

describe('a list', () => {
  it('is copied, made of a text or of an object’s keys, and empty for nothing', () => {
    expect(listOrEmpty(['a'], 'modes')).toStrictEqual(['a']);
    expect(listOrEmpty('text', 'modes')).toStrictEqual(['text']);
    expect(listOrEmpty({ a: 1 }, 'modes')).toStrictEqual(['a']);
    expect(listOrEmpty(null, 'modes')).toStrictEqual([]);
    expect(() => listOrEmpty(5, 'modes')).toThrow(E2AError);
  });
});

describe('a text', () => {
  it('is made of no value that nests too deeply to be walked through', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 20_000; depth += 1) deep = [{ deep }];
    expect(() => plainText(deep)).toThrow(E2AError);
    expect(plainText([{ a: [null] }])).toBe("[{'a': [None]}]");
  });
});
