import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/deadline.js';
import { ask, rawStatus, speakRaw } from '../../../test/support/http-client.js';
import { upgradeRequest } from '../../../test/support/raw-upgrade.js';
import { API_KEY, ServerRig, type RigOptions } from '../../../test/support/server-rig.js';

describe('who gets in', () => {
  let rig: ServerRig | undefined;
  const start = async (setup?: RigOptions): Promise<ServerRig> => (rig = await ServerRig.start(setup));
  afterEach(async () => {
    await rig?.stop();
    rig = undefined;
  });
  const raw = (port: number, path: string, headers: readonly string[]) =>
    speakRaw(port, `GET ${path} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`);

  describe('guards on real sockets', () => {
    it.each([
      ['a foreign name', ['Host: evil.example:PORT']],
      ['a loopback look-alike', ['Host: 127.evil.example:PORT']],
      ['a trailing dot', ['Host: localhost.:PORT']],
      ['no port', ['Host: 127.0.0.1']],
      ['no Host at all', []],
      ['two hosts', ['Host: 127.0.0.1:PORT', 'Host: evil.example:PORT']],
      ['two equal hosts', ['Host: 127.0.0.1:PORT', 'Host: 127.0.0.1:PORT']],
      ['an origin', ['Host: 127.0.0.1:PORT', 'Origin: https://evil.example']],
      ['a null origin', ['Host: 127.0.0.1:PORT', 'Origin: null']],
      ['its own origin', ['Host: 127.0.0.1:PORT', 'Origin: http://127.0.0.1:PORT']],
      ['a cross-site fetch', ['Host: 127.0.0.1:PORT', 'Sec-Fetch-Site: cross-site']],
    ])('%s is 403 on every path, with and without an upgrade', async (_what, lines) => {
      const { port, bearer } = await start();
      const headers = [
        ...lines.map((line) => line.replaceAll('PORT', String(port))),
        `Authorization: ${bearer.authorization}`,
      ];
      for (const path of [
        '/alpha/connector-card.json',
        '/alpha/health',
        '/alpha/files/uploads',
        '/nothing',
        '/alpha/ws',
      ]) {
        expect([path, rawStatus(await raw(port, path, headers))]).toEqual([path, 403]);
      }
      const upgrade = await speakRaw(port, upgradeRequest('/alpha/ws', headers));
      expect(rawStatus(upgrade)).toBe(403);
      expect(upgrade).toMatch(/"error":"(host|origin)_not_allowed"|"error":"cross_site_request"/);
    });

    it.each(['LOCALHOST:PORT', '[::1]:PORT', '127.0.0.1:PORT'])('Host %s is served', async (host) => {
      const { port } = await start();
      const answer = await raw(port, '/alpha/connector-card.json', [`Host: ${host.replace('PORT', String(port))}`]);
      expect(rawStatus(answer)).toBe(200);
    });

    it('an absolute request target does not get round the Host check', async () => {
      const { port } = await start();
      const answer = await raw(port, `http://127.0.0.1:${port}/alpha/connector-card.json`, [`Host: 127.0.0.1:${port}`]);
      expect(rawStatus(answer)).toBe(400);
    });

    it('a request target that is no address at all is refused like any other', async () => {
      const { port } = await start();
      expect(rawStatus(await raw(port, 'http://[', [`Host: 127.0.0.1:${port}`]))).toBe(400);
    });
  });

  describe('the key', () => {
    it('is asked for on every route that is not public or guarded by its own capability', async () => {
      const { server, url, port } = await start();
      const open = server.routes
        .filter((route) => route.access !== 'key')
        .map((route) => `${route.method} ${route.path}`);
      expect(open.sort()).toEqual([
        'GET /alpha/connector-card.json',
        'GET /alpha/files/refs/:ref',
        'GET /alpha/skill.md',
        'GET /beta/connector-card.json',
        'GET /beta/files/refs/:ref',
        'GET /beta/skill.md',
        'GET /files/refs/:ref',
      ]);
      for (const { method, path } of server.routes.filter((route) => route.access === 'key')) {
        for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${API_KEY}` }]) {
          const status =
            method === 'UPGRADE'
              ? rawStatus(
                  await speakRaw(
                    port,
                    upgradeRequest(path, [
                      `Host: 127.0.0.1:${port}`,
                      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
                    ]),
                  ),
                )
              : (await ask(`${url}${path}`, { method, headers })).status;
          // Wrong keys of this many routes pass the limit; either way nobody gets in.
          expect([path, status]).toEqual([path, expect.toBeOneOf([401, 429])]);
        }
      }
    });

    it('counts in the Authorization header alone', async () => {
      const { url } = await start();
      const answer = await ask(`${url}/alpha/health?token=${API_KEY}&access_token=${API_KEY}`, {
        headers: { cookie: `token=${API_KEY}`, 'x-api-key': API_KEY, 'proxy-authorization': `Bearer ${API_KEY}` },
      });
      expect([answer.status, answer.headers['www-authenticate'], answer.json()]).toEqual([
        401,
        'Bearer',
        { error: 'unauthorized' },
      ]);
    });

    it('is missed as 503 while the secret store is not ready; public paths go on', async () => {
      const started = await start();
      started.key = undefined;
      const health = await ask(`${started.url}/alpha/health`, { headers: { authorization: `Bearer ${API_KEY}` } });
      expect([health.status, health.json()['error']]).toEqual([503, 'secrets_unavailable']);
      expect((await ask(`${started.url}/alpha/connector-card.json`)).status).toBe(200);
    });

    it('guessing ends in 429 with Retry-After, and the right key from the same address is served', async () => {
      const { url, bearer } = await start();
      let last = await ask(`${url}/alpha/health`, { headers: { authorization: 'Bearer guess' } });
      for (let i = 0; i < 60 && last.status === 401; i += 1) {
        last = await ask(`${url}/alpha/health`, { headers: { authorization: `Bearer guess${i}` } });
      }
      expect(last.status).toBe(429);
      expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
      expect((await ask(`${url}/alpha/health`, { headers: bearer })).status).toBe(200);
    });
  });

  describe('what is no proper request', () => {
    it('headers that never end are cut, and others are served meanwhile', async () => {
      const { port, url } = await start({
        limits: { headersTimeoutMs: 150, requestTimeoutMs: 300, timeoutCheckMs: 50 },
      });
      const slow = speakRaw(port, `GET /alpha/health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `);
      expect((await ask(`${url}/alpha/connector-card.json`)).status).toBe(200);
      expect(rawStatus(await slow)).toBe(408);
    });

    it('a body that trickles is cut', async () => {
      const { port, bearer, connector } = await start({
        limits: { headersTimeoutMs: 200, requestTimeoutMs: 200, timeoutCheckMs: 50 },
      });
      connector.addChannel('cch_1', 'acc_1');
      const socket = connect(port, '127.0.0.1');
      const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()).on('error', () => undefined));
      socket.write(
        `POST /alpha/files/uploads HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${bearer.authorization}\r\n` +
          `X-XAgent-Connector-Channel-ID: cch_1\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n--b\r\n`,
      );
      const drip = setInterval(() => socket.write('x'), 20);
      await closed;
      clearInterval(drip);
    });

    it('a connection on which nothing moves is closed', async () => {
      const { port } = await start({ limits: { idleTimeoutMs: 100, keepAliveTimeoutMs: 100 } });
      await speakRaw(port, '');
      await speakRaw(port, `GET /alpha/connector-card.json HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    });

    it('noise is 400, too many header bytes 431, as JSON', async () => {
      const { port } = await start();
      const noise = await speakRaw(port, '\x16\x03\x01\x02\r\n\r\n');
      expect([rawStatus(noise), noise.includes('{"error":"bad_request"}')]).toEqual([400, true]);
      const huge = await speakRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(40_000)}\r\n\r\n`);
      expect([rawStatus(huge), huge.includes('{"error":"headers_too_large"}')]).toEqual([431, true]);
    });

    it('the answer to it is not lost in a reset, however much was still to come', async () => {
      const { port } = await start();
      for (let i = 0; i < 20; i += 1) {
        const huge = await speakRaw(port, `GET / HTTP/1.1\r\nX-Big: ${'a'.repeat(1_000_000)}\r\n\r\n`);
        expect(rawStatus(huge)).toBe(431);
      }
    });

    it('a sender of noise without end is cut', async () => {
      const { port } = await start({ limits: { lingerMs: 100 } });
      const socket = connect(port, '127.0.0.1');
      const closed = new Promise((resolve) => socket.on('close', resolve).on('error', () => undefined));
      const drip = setInterval(() => socket.write('\x16\x03noise'), 10);
      socket.resume();
      await closed;
      clearInterval(drip);
    });

    it('no more connections than the limit', async () => {
      const { port } = await start({ limits: { maxConnections: 3 } });
      const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1'));
      const closed = { count: 0 };
      for (const socket of sockets) socket.on('close', () => (closed.count += 1)).on('error', () => undefined);
      await eventually(() => closed.count === 3, 'three connections to be dropped');
      for (const socket of sockets) socket.destroy();
    });

    it('then who asks properly is served, however many never finish their headers', async () => {
      const { url, port, bearer } = await start({ limits: { maxConnections: 3 } });
      const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
      let closed = 0;
      for (const socket of sockets) {
        socket.on('close', () => (closed += 1));
        socket.write('GET /alpha/health HTTP/1.1\r\nHost: 127');
      }
      await eventually(() => closed === 3, 'the first three to make room');
      expect((await ask(`${url}/alpha/health`, { headers: bearer })).status).toBe(200);
      for (const socket of sockets) socket.destroy();
    });
  });

  describe('upgrades', () => {
    it('the data plane without one is 426, an unknown path 404', async () => {
      const { url, port, bearer } = await start();
      const plain = await ask(`${url}/alpha/ws`, { headers: bearer });
      expect([plain.status, plain.headers.upgrade]).toEqual([426, 'websocket']);
      const headers = [`Host: 127.0.0.1:${port}`, `Authorization: ${bearer.authorization}`];
      expect(rawStatus(await speakRaw(port, upgradeRequest('/nothing', headers)))).toBe(404);
      expect(rawStatus(await speakRaw(port, upgradeRequest('/alpha/health', headers)))).toBe(404);
    });

    it('a handshake that is none is 400', async () => {
      const { port, bearer } = await start();
      const headers = [`Host: 127.0.0.1:${port}`, `Authorization: ${bearer.authorization}`, 'Upgrade: websocket'];
      const answer = await speakRaw(
        port,
        `GET /alpha/ws HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: Upgrade\r\n\r\n`,
      );
      expect([rawStatus(answer), answer.includes('"error":"bad_handshake"')]).toEqual([400, true]);
    });

    it('only foreign subprotocols are 400', async () => {
      const { port, bearer } = await start();
      const headers = [
        `Host: 127.0.0.1:${port}`,
        `Authorization: ${bearer.authorization}`,
        'Sec-WebSocket-Protocol: a, b',
      ];
      const answer = await speakRaw(port, upgradeRequest('/alpha/ws', headers));
      expect([rawStatus(answer), answer.includes('"error":"subprotocol_not_supported"')]).toEqual([400, true]);
    });

    it('an offer of another protocol is ignored, as HTTP allows', async () => {
      const { port, bearer } = await start();
      const headers = [
        `Host: 127.0.0.1:${port}`,
        'Upgrade: h2c',
        'Connection: Upgrade, HTTP2-Settings',
        'HTTP2-Settings: AA',
      ];
      const get = (path: string, more: string[] = []) =>
        speakRaw(port, `GET ${path} HTTP/1.1\r\n${[...headers, ...more].join('\r\n')}\r\n\r\n`);
      const card = await get('/alpha/connector-card.json');
      expect([rawStatus(card), card.includes('"connector_card_id":"im.alpha"')]).toEqual([200, true]);
      expect(rawStatus(await get('/alpha/health'))).toBe(401);
      expect(rawStatus(await get('/alpha/health', [`Authorization: ${bearer.authorization}`]))).toBe(200);
    });

    it('a peer that resets during the refusal harms nobody', async () => {
      const { port, url } = await start();
      for (let i = 0; i < 20; i += 1) {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        await new Promise<void>((resolve) => socket.write(upgradeRequest('/alpha/ws', [`Host: x`]), () => resolve()));
        socket.resetAndDestroy();
      }
      expect((await ask(`${url}/alpha/connector-card.json`)).status).toBe(200);
    });
  });
});
