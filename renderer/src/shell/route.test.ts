import { describe, expect, it } from 'vitest';
import { placeHash, type Place } from '../../../src/bridge/place.js';
import { href, parseRoute, type Route } from './route.js';

describe('places in the window', () => {
  it('come back from their address as they went in, whatever is in their names', () => {
    expect(parseRoute(href('messages', 'acc/1 ä'))).toEqual({ view: 'messages', path: ['acc/1 ä'] });
    expect(parseRoute(href('accounts', 'connect', 'wechat'))).toEqual({
      view: 'accounts',
      path: ['connect', 'wechat'],
    });
  });

  it.each<[Place, Route]>([
    [{ view: 'accounts' }, { view: 'accounts', path: [] }],
    [{ view: 'agent' }, { view: 'agent', path: [] }],
    [{ view: 'chat' }, { view: 'chat', path: [] }],
    [{ view: 'settings' }, { view: 'settings', path: [] }],
    [
      { view: 'connect', connector: 'telegram' },
      { view: 'accounts', path: ['connect', 'telegram'] },
    ],
    [
      { view: 'messages', accountId: undefined },
      { view: 'messages', path: [] },
    ],
    [
      { view: 'messages', accountId: 'acc/1 ä%' },
      { view: 'messages', path: ['acc/1 ä%'] },
    ],
  ])('are the places that the tray and notifications name: %o', (place, route) => {
    expect(parseRoute(placeHash(place))).toEqual(route);
  });

  it.each(['', '#', '#/', '#/elsewhere/x', '#token=abc'])('are Accounts for %j, which names none', (hash) => {
    expect(parseRoute(hash)).toEqual({ view: 'accounts', path: [] });
  });

  it('take an address that is not well formed as it is', () => {
    expect(parseRoute('#/messages/%E0%A4%A')).toEqual({ view: 'messages', path: ['%E0%A4%A'] });
  });
});
