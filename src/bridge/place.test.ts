import fc from 'fast-check';
import { expect, it } from 'vitest';
import { placeHash, readPlace, type Place } from './place.js';

const place: fc.Arbitrary<Place> = fc.oneof(
  fc.constantFrom<Place>({ view: 'accounts' }, { view: 'agent' }, { view: 'chat' }, { view: 'settings' }),
  fc.string({ minLength: 1 }).map((connector): Place => ({ view: 'connect', connector })),
  fc
    .option(fc.string({ minLength: 1 }), { nil: undefined })
    .map((accountId): Place => ({ view: 'messages', accountId })),
);

it('reads every place that it writes', () => {
  fc.assert(
    fc.property(place, (given) => {
      expect(readPlace(placeHash(given))).toEqual(given);
    }),
  );
});

it('takes an address that names no place for none', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#/connect', '#/connect/%']) expect(readPlace(hash)).toBeUndefined();
});
