import { describe, expect, it } from 'vitest';
import { addressOf, readPac, readProxyUrl, toPac } from './proxy-server.js';

describe('the answer of a proxy auto-configuration', () => {
  it.each([
    ['PROXY a.test:8080', [{ kind: 'http', host: 'a.test', port: 8080 }]],
    [' https A.test ; direct ', [{ kind: 'https', host: 'a.test', port: 443 }, 'direct']],
    ['SOCKS5 [::1]:9050', [{ kind: 'socks5', host: '::1', port: 9050 }]],
    ['SOCKS old.test', [{ kind: 'socks4', host: 'old.test', port: 1080 }]],
    ['QUIC a.test:443; PROXY ; PROXY b.test:1', [{ kind: 'http', host: 'b.test', port: 1 }]],
    ['', ['direct']],
    ['nonsense', ['direct']],
  ])('%j is read in its order, without what makes no sense', (text, hops) => {
    expect(readPac(text)).toEqual(hops);
  });

  it.each(['http', 'https', 'socks4', 'socks5'] as const)('reads back a proxy of kind %s', (kind) => {
    const server = { kind, host: '2001:db8::1', port: 3128 };
    expect(readPac(toPac({ kind, address: addressOf(server) }))).toEqual([server]);
  });

  it('reads back the straight way', () => expect(readPac(toPac(undefined))).toEqual(['direct']));
});

describe('a proxy’s URL', () => {
  it.each([
    ['http://a.test:8080', { kind: 'http', host: 'a.test', port: 8080 }],
    ['http://a.test/', { kind: 'http', host: 'a.test', port: 80 }],
    ['https://a.test', { kind: 'https', host: 'a.test', port: 443 }],
    ['socks5://[::1]', { kind: 'socks5', host: '::1', port: 1080 }],
    ['socks5h://A.test:9', { kind: 'socks5', host: 'a.test', port: 9 }],
    ['socks4://a.test', { kind: 'socks4', host: 'a.test', port: 1080 }],
  ])('%s names its proxy', (text, server) => {
    expect(readProxyUrl(text)).toEqual({ server, credentials: undefined });
  });

  it('gives credentials as they were meant, not as they are written', () => {
    expect(readProxyUrl('http://ada:p%40ss%3Aword@a.test:1')?.credentials).toEqual({
      user: 'ada',
      password: 'p@ss:word',
    });
  });

  it.each([
    '',
    'a.test:8080',
    'ftp://a.test',
    'http://',
    'http://a.test/path',
    'http://a.test?q',
    'http://a.test:0',
    'http://%zz@a.test',
  ])('%j is none', (text) => expect(readProxyUrl(text)).toBeUndefined());
});
