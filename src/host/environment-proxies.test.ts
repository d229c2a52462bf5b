import { describe, expect, it } from 'vitest';
import { environmentProxies, secretsOf, takeProxies } from './environment-proxies.js';

const find = (env: Record<string, string>, url: string) => environmentProxies(env).proxies?.find(url);

describe('the variables of the environment', () => {
  it('name no proxy when there are none, or empty ones', () => {
    expect(environmentProxies({}).proxies).toBeUndefined();
    expect(environmentProxies({ HTTPS_PROXY: ' ', NO_PROXY: '*' })).toEqual({ proxies: undefined, problems: [] });
  });

  it.each([
    ['https://a.test/', { https_proxy: 'http://p.test:8080' }, 'PROXY p.test:8080'],
    ['https://a.test/', { HTTPS_PROXY: 'p.test:3128' }, 'PROXY p.test:3128'],
    ['wss://a.test/', { HTTPS_PROXY: 'https://p.test' }, 'HTTPS p.test:443'],
    ['http://a.test/', { HTTPS_PROXY: 'http://p.test' }, 'DIRECT'],
    ['http://a.test/', { http_proxy: 'http://p.test' }, 'PROXY p.test:80'],
    ['https://a.test/', { ALL_PROXY: 'socks5h://p.test' }, 'SOCKS5 p.test:1080'],
    ['https://a.test/', { ALL_PROXY: 'socks5://p.test', https_proxy: 'http://q.test' }, 'PROXY q.test:80'],
    ['https://a.test/', { https_proxy: 'http://small.test', HTTPS_PROXY: 'http://big.test' }, 'PROXY small.test:80'],
    ['xmpp://a.test:5222', { HTTPS_PROXY: 'http://p.test', HTTP_PROXY: 'http://p.test' }, 'DIRECT'],
    ['xmpp://a.test:5222', { all_proxy: 'socks5://p.test' }, 'SOCKS5 p.test:1080'],
  ])('send %s by %j to %s', async (url, env, pac) => {
    expect(await find(env as Record<string, string>, url)).toBe(pac);
  });

  it.each([
    ['example.org', 'https://example.org/', true],
    ['example.org', 'https://api.example.org/', true],
    ['.example.org', 'https://api.example.org/', true],
    ['*.example.org', 'https://api.example.org/', true],
    ['example.org', 'https://notexample.org/', false],
    ['a.test, example.org', 'https://EXAMPLE.org/', true],
    ['example.org:8443', 'https://example.org/', false],
    ['example.org:443', 'https://example.org/', true],
    ['192.0.2.0/24', 'https://192.0.2.77/', true],
    ['192.0.2.0/24', 'https://198.51.100.1/', false],
    ['2001:db8::/32', 'https://[2001:db8::9]/', true],
    ['192.0.2.0/99', 'https://192.0.2.1/', false],
    ['192.0.2.1', 'https://192.0.2.1/', true],
    ['*', 'xmpp://a.test:5222', true],
  ])('NO_PROXY %j about %s: %s', async (NO_PROXY, url, isStraight) => {
    const pac = await find({ ALL_PROXY: 'http://p.test:1', no_proxy: NO_PROXY }, url);
    expect(pac).toBe(isStraight ? 'DIRECT' : 'PROXY p.test:1');
  });

  it('keep credentials by their proxy, and tell every form in which they must be masked', () => {
    const { proxies } = environmentProxies({ HTTPS_PROXY: 'http://ada:geheim%21@p.test:8080' });
    expect([...(proxies?.credentials ?? [])]).toEqual([['p.test:8080', { user: 'ada', password: 'geheim!' }]]);
    expect(secretsOf(proxies!)).toEqual(['geheim!', Buffer.from('ada:geheim!').toString('base64')]);
  });

  it('pass on to child processes without their credentials', () => {
    const env = {
      HTTPS_PROXY: 'http://ada:c@n/ary@p.test:1',
      all_proxy: 'ada:canary@q.test',
      HTTP_PROXY: 'http://r.test',
    };
    takeProxies(env);
    expect(env).toEqual({ HTTPS_PROXY: 'http://p.test:1', all_proxy: 'q.test', HTTP_PROXY: 'http://r.test' });
  });

  it.each(['ftp://ada:canary@p.test', 'http://ada:canary@', `http://ada:canary${'x'.repeat(256)}@p.test`])(
    'that can’t be used are named, never repeated: %s',
    (HTTPS_PROXY) => {
      const { problems } = environmentProxies({ HTTPS_PROXY });
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/^HTTPS_PROXY must be/);
      expect(problems.join()).not.toContain('canary');
    },
  );
});
