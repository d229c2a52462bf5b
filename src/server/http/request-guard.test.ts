import { describe, expect, it } from 'vitest';
import { checkRequest, guardPolicy, isHostEntry, MAX_HEADERS } from './request-guard.js';

const PORT = 19080;
const policy = guardPolicy('127.0.0.1', PORT, ['host.docker.internal', 'agent.lan:8080'], ['https://trusted.example']);

function check(headers: readonly [string, string][], method = 'GET', target = '/alpha/health', ownOrigin = false) {
  return checkRequest({ method, target, rawHeaders: headers.flat() }, policy, ownOrigin);
}
const OWN: [string, string] = ['Host', `127.0.0.1:${PORT}`];

describe('the request guard', () => {
  it('counts headers before it reads them, so that none hides behind a flood', () => {
    const noise = (count: number) => Array.from({ length: count }, (_, index): [string, string] => [`X-${index}`, 'y']);
    expect(check([OWN, ...noise(MAX_HEADERS - 1)])).toBeUndefined();
    expect(check([OWN, ...noise(MAX_HEADERS), ['Origin', 'http://evil.example']])).toMatchObject({ status: 431 });
  });

  describe('Host', () => {
    it.each([
      '127.0.0.1:19080',
      'localhost:19080',
      'LocalHost:19080',
      '[::1]:19080',
      'host.docker.internal:19080',
      'agent.lan:8080',
    ])('%s names this server', (host) => {
      expect(check([['Host', host]])).toBeUndefined();
    });

    it.each([
      'evil.example:19080',
      '127.evil.example:19080',
      'localhost.evil.example:19080',
      '127.0.0.1.evil.example:19080',
      'localhost.:19080',
      '127.0.0.1.:19080',
      '127.0.0.1',
      'localhost:19081',
      '127.0.0.1:019080',
      '127.0.0.2:19080',
      '127.1:19080',
      '2130706433:19080',
      '0.0.0.0:19080',
      '[::1',
      '[::1]evil:19080',
      'user@localhost:19080',
      'localhost:19080/',
      'localhost:19080, localhost:19080',
      ' localhost:19080',
      'localhost:',
      '',
      'agent.lan:19080',
      'sub.host.docker.internal:19080',
    ])('"%s" is refused', (host) => {
      expect(check([['Host', host]])).toMatchObject({ status: 403, code: 'host_not_allowed' });
    });

    it('must be there, once', () => {
      expect(check([])).toMatchObject({ status: 403 });
      expect(check([OWN, ['hOST', OWN[1]]])).toMatchObject({ status: 403 });
      expect(check([OWN, ['host', `evil.example:${PORT}`]])).toMatchObject({ status: 403 });
    });

    it('may leave the port out only when that is 80', () => {
      const web = guardPolicy('127.0.0.1', 80, [], []);
      expect(checkRequest({ method: 'GET', target: '/', rawHeaders: ['Host', 'localhost'] }, web)).toBeUndefined();
      expect(checkRequest({ method: 'GET', target: '/', rawHeaders: ['Host', 'localhost:80'] }, web)).toBeUndefined();
    });

    it('may be the very address the server was told to listen on', () => {
      const other = guardPolicy('127.0.0.5', PORT, [], []);
      const rawHeaders = ['Host', `127.0.0.5:${PORT}`];
      expect(checkRequest({ method: 'GET', target: '/', rawHeaders }, other)).toBeUndefined();
    });

    it.each(['', 'a b', 'name.', 'http://name', 'name:port', '*'])(
      '"%s" can not be allowed by configuration',
      (entry) => {
        expect(isHostEntry(entry)).toBe(false);
      },
    );
  });

  describe('browsers', () => {
    it.each(['null', 'https://evil.example', `http://127.0.0.1:${PORT}`, '', 'https://trusted.example.evil.example'])(
      'Origin "%s" is refused on an agent path',
      (origin) => {
        expect(check([OWN, ['Origin', origin]])).toMatchObject({ status: 403, code: 'origin_not_allowed' });
      },
    );

    it('a listed origin is served, but not beside another one', () => {
      expect(check([OWN, ['Origin', 'https://trusted.example']])).toBeUndefined();
      expect(check([OWN, ['Origin', 'https://trusted.example'], ['Origin', 'https://evil.example']])).toMatchObject({
        status: 403,
      });
    });

    it('where pages of our own are served, our own origin is fine and a foreign one is not', () => {
      const own: [string, string] = ['Origin', `http://127.0.0.1:${PORT}`];
      expect(check([OWN, own], 'GET', '/ui/', true)).toBeUndefined();
      for (const origin of ['null', `https://127.0.0.1:${PORT}`, 'http://127.0.0.1:1', 'http://evil.example']) {
        expect(check([OWN, ['Origin', origin]], 'GET', '/ui/', true)).toMatchObject({ status: 403 });
      }
    });

    it.each(['cross-site', 'same-site', 'Cross-Site'])('Sec-Fetch-Site %s is refused', (site) => {
      expect(check([OWN, ['Sec-Fetch-Site', site]])).toMatchObject({ status: 403, code: 'cross_site_request' });
    });

    it.each(['none', 'same-origin'])('Sec-Fetch-Site %s is served', (site) => {
      expect(check([OWN, ['Sec-Fetch-Site', site]])).toBeUndefined();
    });

    it('a preflight gets 405', () => {
      expect(check([OWN], 'OPTIONS')).toMatchObject({ status: 405, headers: { Allow: 'GET, HEAD, POST' } });
    });
  });

  it.each(['http://evil.example/alpha/health', 'evil.example:80', '*', undefined])('target %s is no path', (target) => {
    expect(checkRequest({ method: 'GET', target, rawHeaders: OWN }, policy)).toMatchObject({ status: 400 });
  });
});
