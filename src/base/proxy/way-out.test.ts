import http, { createServer, type Server } from 'node:http';
import https, { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { makeCertificate, type TestCertificate } from '../../../test/support/certificate.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { TestProxy } from '../../../test/support/test-proxy.js';
import { systemClock } from '../clock.js';
import type { ProxyServer } from './proxy-server.js';
import { STRAIGHT, WayOut, type WayOutOptions } from './way-out.js';

const HOST = 'far.test';
const ends: (() => Promise<unknown>)[] = [];
let certificate: TestCertificate;

beforeAll(async () => {
  certificate = await makeCertificate(HOST);
});
afterAll(() => certificate.remove());
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server that says hello. @returns its port */
async function serving(tls?: typeof certificate): Promise<number> {
  const server: Server = tls
    ? createTlsServer(tls, (_, response) => response.end('hello'))
    : createServer((_, response) => response.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return (server.address() as AddressInfo).port;
}

async function proxy(...given: Parameters<typeof TestProxy.start>): Promise<TestProxy> {
  const started = await TestProxy.start(...given);
  ends.push(() => started.stop());
  return started;
}

/** An address of this machine where nobody listens. */
async function nowhere(): Promise<ProxyServer> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { kind: 'http', host: '127.0.0.1', port };
}

const through = (pac: string, options: Partial<WayOutOptions> = {}): WayOut =>
  new WayOut({ clock: systemClock, choice: 'system', find: async () => pac, ...options });

async function get(wayOut: WayOut, url: string, more: { lookup?: LookupFunction } = {}): Promise<string> {
  const secure = url.startsWith('https:');
  const agent = wayOut.agent(secure, secure ? { ca: certificate.cert } : {});
  return new Promise((resolve, reject) => {
    (secure ? https : http).get(url, { agent, ...more }, (answer) => resolve(text(answer))).on('error', reject);
  });
}

describe.each(['http', 'socks5'] as const)('through a proxy of kind %s', (kind) => {
  it('plain and TLS connections arrive, and the proxy resolves the name', async () => {
    const [plain, secure] = [await serving(), await serving(certificate)];
    const at = await proxy(kind, { hosts: { 'far.test:80': plain, 'far.test:443': secure } });
    expect(await get(at.wayOut(systemClock), 'http://far.test/')).toBe('hello');
    expect(await get(at.wayOut(systemClock), 'https://far.test/')).toBe('hello');
    expect(at.asked).toEqual(['far.test:80', 'far.test:443']);
  });

  it('goes with the credentials of that proxy, and is refused without', async () => {
    const port = await serving();
    const at = await proxy(kind, { hosts: { 'far.test:80': port }, credentials: 'ada:pass word' });
    const known = new Map([[at.address, { user: 'ada', password: 'pass word' }]]);
    expect(await get(at.wayOut(systemClock, { credentials: known }), 'http://far.test/')).toBe('hello');
    const refused = { code: 'proxy_refused', effect: 'none', proxy: at.address };
    await expect(get(at.wayOut(systemClock), 'http://far.test/')).rejects.toMatchObject(refused);
    const wrong = new Map([[at.address, { user: 'ada', password: 'wrong' }]]);
    await expect(get(at.wayOut(systemClock, { credentials: wrong }), 'http://far.test/')).rejects.toMatchObject(
      refused,
    );
  });

  it('a refusal is the proxy’s word and no answer of the server', async () => {
    const at = await proxy(kind);
    at.refuses = kind === 'http' ? 403 : 2;
    const failure: unknown = await get(at.wayOut(systemClock), 'http://far.test/').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'proxy_refused', effect: 'none', proxy: at.address });
    expect(String(failure)).toContain(at.address);
    expect(failure).toMatchObject({ answer: kind === 'http' ? '403' : 'NotAllowed' });
  });

  it('checks an address here where the caller wants that, and sends the proxy to the checked one', async () => {
    const at = await proxy(kind, { hosts: { '192.0.2.7:443': await serving(certificate) } });
    const lookup: LookupFunction = (_host, _options, done) => done(null, [{ address: '192.0.2.7', family: 4 }]);
    expect(await get(at.wayOut(systemClock), 'https://far.test/', { lookup })).toBe('hello');
    expect(at.asked).toEqual(['192.0.2.7:443']);
    const refuse: LookupFunction = (_host, _options, done) => done(new Error('not allowed'), '', 0);
    await expect(get(at.wayOut(systemClock), 'https://far.test/', { lookup: refuse })).rejects.toThrow('not allowed');
    expect(at.asked).toHaveLength(1);
  });

  it('does not trust the proxy with the server’s name', async () => {
    const other = await makeCertificate('other.test');
    ends.push(() => other.remove());
    const at = await proxy(kind, { hosts: { 'far.test:443': await serving(other) } });
    await expect(get(at.wayOut(systemClock), 'https://far.test/')).rejects.toMatchObject({ code: /CERT|SELF_SIGNED/ });
  });

  it('carries what speaks no HTTP', async () => {
    const at = await proxy(kind, { hosts: { 'far.test:5222': await serving() } });
    const socket = await at.wayOut(systemClock).tunnel(new URL('xmpp://far.test'));
    socket?.write('GET / HTTP/1.0\r\n\r\n');
    expect(await text(socket!)).toContain('hello');
    expect(at.asked).toEqual(['far.test:5222']);
  });
});

describe('the next hop', () => {
  it('is taken where a proxy is not there, down to the straight way', async () => {
    const dead = await nowhere();
    const at = await proxy('http', { hosts: { 'far.test:80': await serving() } });
    const wayOut = through(`PROXY 127.0.0.1:${String(dead.port)}; PROXY ${at.address}`);
    expect(await get(wayOut, 'http://far.test/')).toBe('hello');
    expect(wayOut.way).toEqual({ source: 'system', proxy: { kind: 'http', address: at.address } });
    const straight = through(`PROXY 127.0.0.1:${String(dead.port)}; DIRECT`, { isLocal: () => false });
    expect(await get(straight, `http://127.0.0.1:${String(await serving())}/`)).toBe('hello');
    expect(straight.way).toEqual({ source: 'system', proxy: undefined });
  });

  it('is not taken after a refusal: that would go past who refused', async () => {
    const [first, second] = [await proxy(), await proxy()];
    first.refuses = 403;
    const wayOut = through(`PROXY ${first.address}; PROXY ${second.address}; DIRECT`);
    await expect(get(wayOut, 'http://far.test/')).rejects.toMatchObject({ proxy: first.address });
    expect(second.asked).toEqual([]);
  });

  it('fails by the first proxy’s name when none is left', async () => {
    const [one, two] = [await nowhere(), await nowhere()];
    const wayOut = through(`PROXY 127.0.0.1:${String(one.port)}; SOCKS5 127.0.0.1:${String(two.port)}`);
    const address = `127.0.0.1:${String(one.port)}`;
    await expect(get(wayOut, 'http://far.test/')).rejects.toMatchObject({ code: 'proxy_unreachable', proxy: address });
    expect(wayOut.way).toEqual({ source: 'system', proxy: { kind: 'http', address } });
  });
});

describe('a proxy that is none', () => {
  it.each(['http', 'socks5'] as const)('speaks no %s and counts as not there', async (kind) => {
    const server = createTcpServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('220 mail.test ready\r\n'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const choice = { kind, host: '127.0.0.1', port: (server.address() as AddressInfo).port };
    const wayOut = new WayOut({ clock: systemClock, choice });
    await expect(get(wayOut, 'http://far.test/')).rejects.toMatchObject({ code: 'proxy_unreachable', effect: 'none' });
  });

  it('that never answers is given up by the clock', async () => {
    const clock = new ManualClock();
    const server = createTcpServer((socket) => socket.on('error', () => undefined).resume());
    let met = (): void => undefined;
    const connected = new Promise<void>((resolve) => (met = resolve));
    server.on('connection', () => met());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => new Promise((resolve) => server.close(resolve)));
    const choice = { kind: 'http', host: '127.0.0.1', port: (server.address() as AddressInfo).port } as const;
    const failed = get(new WayOut({ clock, choice }), 'http://far.test/');
    failed.catch(() => undefined);
    await connected;
    await clock.advance(30_000);
    await expect(failed).rejects.toMatchObject({ code: 'proxy_unreachable', effect: 'none' });
    expect(clock.timers).toBe(0);
  });
});

describe('the choice', () => {
  it('goes straight to this machine, whatever the system or the configuration says, and asks nobody', async () => {
    const url = `http://127.0.0.1:${String(await serving())}/`;
    const never = async (): Promise<string> => Promise.reject(new Error('asked'));
    expect(await get(through('', { find: never }), url)).toBe('hello');
    expect(await get(new WayOut({ clock: systemClock, choice: await nowhere() }), url)).toBe('hello');
    expect(await STRAIGHT.tunnel(new URL('xmpp://far.test'))).toBeUndefined();
  });

  it('asks the system anew for every connection, with the address that is to be reached', async () => {
    const at = await proxy('http', {
      hosts: { 'far.test:443': await serving(certificate), 'far.test:8443': await serving(certificate) },
    });
    const asked: string[] = [];
    const wayOut = at.wayOut(systemClock, { find: async (url) => (asked.push(url), `PROXY ${at.address}`) });
    await get(wayOut, 'https://far.test/secret/path');
    await get(wayOut, 'https://far.test:8443/');
    expect(asked).toEqual(['https://far.test/', 'https://far.test:8443/']);
  });

  it('goes straight where the system can’t say', async () => {
    const url = `http://127.0.0.1:${String(await serving())}/`;
    const wayOut = through('', { find: () => Promise.reject(new Error('no PAC')), isLocal: () => false });
    expect(await get(wayOut, url)).toBe('hello');
  });

  it('tells once that the way is another one', async () => {
    const at = await proxy('http', { hosts: { 'far.test:80': await serving() } });
    let changes = 0;
    const wayOut = at.wayOut(systemClock, { changed: () => (changes += 1) });
    expect(wayOut.way).toBeUndefined();
    await wayOut.look(new URL('http://far.test'));
    await get(wayOut, 'http://far.test/');
    expect([changes, wayOut.way?.proxy?.address]).toEqual([1, at.address]);
  });

  it('leaves no connection behind when the caller has gone meanwhile', async () => {
    const at = await proxy('http', { hosts: { 'far.test:80': await serving() } });
    let answer = (_pac: string): void => undefined;
    const wayOut = at.wayOut(systemClock, { find: () => new Promise((resolve) => (answer = resolve)) });
    const request = http.get('http://far.test/', { agent: wayOut.agent(false) }).on('error', () => undefined);
    request.destroy();
    answer(`PROXY ${at.address}`);
    await expect.poll(() => at.asked.length).toBe(1);
    await expect.poll(() => at.open).toBe(0);
  });
});
