import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { conforms, firstProblem } from './conforms.js';

const Person = Type.Object(
  { name: Type.String({ maxLength: 3 }), at: Type.Optional(Type.Object({ port: Type.Integer() })) },
  { additionalProperties: false },
);

describe('a schema', () => {
  it('gives the same verdicts before it is compiled and after', () => {
    const values = [{ name: 'Kim' }, { name: 'Kimberly' }, { name: 'Kim', more: 1 }, {}, null];
    const first = values.map((value) => conforms(Person, value));
    expect(first).toEqual([true, false, false, false, false]);
    for (let round = 0; round < 50; round += 1) {
      expect(values.map((value) => conforms(Person, value))).toEqual(first);
    }
  });

  it.each([
    [{ name: 1 }, 'person/name must be string'],
    [{ name: 'Kim', at: { port: 'x' } }, 'person/at/port must be integer'],
    [{ name: 'Kim', more: 'secret' }, 'person/more is not known'],
    [{}, 'person must have required properties name'],
    [null, 'person must be object'],
  ])('says of %j where it is wrong and how, and repeats no value', (value, words) => {
    expect(firstProblem(Person, value, 'person')).toBe(words);
  });
});
