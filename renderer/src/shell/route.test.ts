import { describe, expect, it } from 'vitest';
import { placeHash } from '../../../src/bridge/place.js';
import { href, parseRoute } from './route.js';

describe('places in the window', () => {
  it('come back from their address as they went in, whatever is in their names', () => {
    expect(parseRoute(href('messages', 'acc/1 ä'))).toEqual({ view: 'messages', path: ['acc/1 ä'] });
    expect(parseRoute(href('accounts', 'connect', 'wechat'))).toEqual({
      view: 'accounts',
      path: ['connect', 'wechat'],
    });
  });

  it('are the places that the tray and notifications name', () => {
    expect(parseRoute(placeHash({ view: 'connect', connector: 'telegram' }))).toEqual({
      view: 'accounts',
      path: ['connect', 'telegram'],
    });
    expect(parseRoute(placeHash({ view: 'messages', accountId: 'acc_1' }))).toEqual({
      view: 'messages',
      path: ['acc_1'],
    });
    expect(parseRoute(placeHash({ view: 'agent' }))).toEqual({ view: 'agent', path: [] });
  });

  it.each(['', '#', '#/', '#/elsewhere/x', '#token=abc'])('are Accounts for %j, which names none', (hash) => {
    expect(parseRoute(hash)).toEqual({ view: 'accounts', path: [] });
  });

  it('take an address that is not well formed as it is', () => {
    expect(parseRoute('#/messages/%E0%A4%A')).toEqual({ view: 'messages', path: ['%E0%A4%A'] });
  });
});
