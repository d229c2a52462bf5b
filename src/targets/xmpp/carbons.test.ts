import { describe, expect, it } from 'vitest';
import { quietLog } from '../../../test/support/quiet-log.js';
import { askForCopies, withoutCover } from './carbons.js';
import { lineLost, StanzaRefused } from './errors.js';
import { NS } from './namespaces.js';
import { el, type Stanza } from './stanza.js';

const OWN = 'agent@example.org';
const words = el('message', { from: 'ada@example.org/phone', type: 'chat' }, el('body', {}, 'hi'));

function copy(from: string, name: 'received' | 'sent' = 'received'): Stanza {
  const forwarded = el('forwarded', { xmlns: NS.forward }, words);
  return el('message', { from, type: 'chat' }, el(name, { xmlns: NS.carbons }, forwarded));
}

describe('copies of what other clients are given', () => {
  it('are taken off their cover when our own account sent them', () => {
    expect(withoutCover(copy(OWN), OWN)).toBe(words);
    expect(withoutCover(copy('Agent@Example.org'), OWN)).toBe(words);
  });

  it.each([['mallory@example.org/x'], ['ada@example.org'], [`${OWN}/other`]])(
    'stay covered when %s sent them',
    (from) => {
      const forged = copy(from);
      expect(withoutCover(forged, OWN)).toBe(forged);
    },
  );

  it('of our own words stay covered', () => {
    const own = copy(OWN, 'sent');
    expect(withoutCover(own, OWN)).toBe(own);
  });

  it.each([new StanzaRefused('service-unavailable'), lineLost('no_answer', 'x', 'unknown')])(
    'are done without where the server gives none: %s',
    async (error) => {
      await expect(askForCopies(() => Promise.reject(error), quietLog)).resolves.toBeUndefined();
    },
  );
});
