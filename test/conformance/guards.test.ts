import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostProcess } from '../support/host-process.js';
import { ask, rawStatus, speakRaw } from '../support/http-client.js';
import { openSocket, UpgradeRefused } from '../support/spec-agent.js';

/** Paths of every plane; a guard that forgets one is no guard. */
const PATHS = [
  '/local/connector-card.json',
  '/local/skill.md',
  '/local/health',
  '/local/ws',
  '/local/files/refs/AAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '/status',
  '/metrics',
  '/',
];

describe('guards (section 3, R2, L1 to L14)', () => {
  let host: HostProcess;
  beforeAll(async () => {
    host = await HostProcess.start();
  });
  afterAll(() => host.destroy());

  const raw = (path: string, headers: string[]): Promise<string> =>
    speakRaw(host.port, `GET ${path} HTTP/1.1\r\n${headers.map((h) => `${h}\r\n`).join('')}Connection: close\r\n\r\n`);
  const auth = (): string => `Authorization: Bearer ${host.apiKey}`;

  it('L1: listens on loopback alone', async () => {
    expect(new URL(host.url).hostname).toBe('127.0.0.1');
    const outside = Object.values(networkInterfaces())
      .flat()
      .find((address) => address && !address.internal && address.family === 'IPv4');
    if (!outside) return; // a machine without any other address has nothing to be reached by
    const refused = await new Promise<boolean>((resolve) => {
      const socket = connect(host.port, outside.address);
      socket.on('connect', () => resolve(false)).on('error', () => resolve(true));
      socket.on('connect', () => socket.destroy());
    });
    expect(refused).toBe(true);
  });

  describe('L2, L3: Host (DNS rebinding)', () => {
    it.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])('%s with the port is ours', async (name) => {
      const answer = await raw('/local/connector-card.json', [`Host: ${name}:${host.port}`]);
      expect(rawStatus(answer)).toBe(200);
    });

    it.each([
      'evil.example',
      'evil.example:PORT',
      '127.evil.example:PORT',
      '127.0.0.1.evil.example:PORT',
      'localhost.evil.example:PORT',
      '127.0.0.1.:PORT',
      'localhost.:PORT',
      '127.0.0.1:1',
      '127.0.0.1',
      '0.0.0.0:PORT',
      '127.1:PORT',
      '2130706433:PORT',
      'user@127.0.0.1:PORT',
      '[::1].evil.example:PORT',
      '[::ffff:127.0.0.1]:PORT',
    ])('%s is refused on every path before routing', async (pattern) => {
      const name = pattern.replace('PORT', String(host.port));
      for (const path of PATHS) {
        const answer = await raw(path, [`Host: ${name}`, auth()]);
        expect([path, rawStatus(answer)], path).toEqual([path, expect.toBeOneOf([400, 403])]);
      }
    });

    it('a missing, an empty and a doubled Host are refused', async () => {
      const good = `Host: 127.0.0.1:${host.port}`;
      expect([400, 403]).toContain(rawStatus(await raw('/local/connector-card.json', [])));
      expect([400, 403]).toContain(rawStatus(await raw('/local/connector-card.json', ['Host:'])));
      expect([400, 403]).toContain(
        rawStatus(await raw('/local/connector-card.json', [good, `Host: evil.example:${host.port}`])),
      );
      expect([400, 403]).toContain(
        rawStatus(await raw('/local/connector-card.json', [`Host: evil.example:${host.port}`, good])),
      );
    });

    it('holds for the WebSocket upgrade, with the right key', async () => {
      const refused = openSocket({
        baseUrl: host.base('local'),
        apiKey: host.apiKey,
        headers: { host: `evil.example:${host.port}` },
      });
      await expect(refused).rejects.toMatchObject({ name: 'UpgradeRefused', status: 403 });
    });

    it('a name the user added is taken', async () => {
      const docker = await HostProcess.start({
        config: { server: { port: 0, allowedHosts: ['host.docker.internal'] } },
      });
      try {
        const get = (name: string): Promise<string> =>
          speakRaw(
            docker.port,
            `GET /local/connector-card.json HTTP/1.1\r\nHost: ${name}:${docker.port}\r\nConnection: close\r\n\r\n`,
          );
        expect(rawStatus(await get('host.docker.internal'))).toBe(200);
        expect(rawStatus(await get('evil.host.docker.internal'))).toBe(403);
      } finally {
        await docker.destroy();
      }
    });
  });

  describe('L4 to L6: browsers', () => {
    it.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'file://', 'http://localhost:1'])(
      'Origin %s is refused on every path',
      async (origin) => {
        for (const path of PATHS) {
          const answer = await raw(path, [`Host: 127.0.0.1:${host.port}`, `Origin: ${origin}`, auth()]);
          expect([path, rawStatus(answer)]).toEqual([path, 403]);
        }
      },
    );

    it.each(['https://evil.example', 'null'])(
      'Origin %s is refused at the upgrade, with the right key',
      async (origin) => {
        await expect(
          openSocket({ baseUrl: host.base('local'), apiKey: host.apiKey, headers: { origin } }),
        ).rejects.toMatchObject({
          name: 'UpgradeRefused',
          status: 403,
        });
      },
    );

    it.each(['cross-site', 'same-site'])('Sec-Fetch-Site %s is refused, for the public card too', async (site) => {
      const answer = await raw('/local/connector-card.json', [
        `Host: 127.0.0.1:${host.port}`,
        `Sec-Fetch-Site: ${site}`,
      ]);
      expect(rawStatus(answer)).toBe(403);
    });

    it('L5: no CORS header anywhere, and OPTIONS gives nothing away', async () => {
      for (const path of PATHS) {
        const options = await ask(`${host.url}${path}`, {
          method: 'OPTIONS',
          headers: {
            origin: 'https://evil.example',
            'access-control-request-method': 'GET',
            'access-control-request-private-network': 'true',
          },
        });
        expect([401, 403, 404, 405]).toContain(options.status);
        const get = await ask(`${host.url}${path}`, { headers: { authorization: `Bearer ${host.apiKey}` } });
        for (const answer of [options, get]) {
          expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
        }
      }
      const plain = await ask(`${host.base('local')}/connector-card.json`, { method: 'OPTIONS' });
      expect([204, 403, 405]).toContain(plain.status);
    });
  });

  describe('R2, L8 to L10: the system key', () => {
    const health = (headers: Record<string, string>): Promise<number> =>
      ask(`${host.base('local')}/health`, { headers }).then((answer) => answer.status);

    it('the scheme is case-insensitive, the key exact', async () => {
      expect(await health({ authorization: `bearer ${host.apiKey}` })).toBe(200);
      expect(await health({ authorization: `BEARER ${host.apiKey}` })).toBe(200);
      expect(await health({ authorization: `Bearer ${host.apiKey.toUpperCase()}` })).toBe(401);
      expect(await health({ authorization: `Bearer ${host.apiKey}x` })).toBe(401);
      expect(await health({ authorization: `Bearer ${host.apiKey.slice(0, -1)}` })).toBe(401);
    });

    it('401 says how, as JSON, and never names the key', async () => {
      const answer = await ask(`${host.base('local')}/health`, { headers: { authorization: 'Bearer test-api' } });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      expect(answer.json()['error']).toBe('unauthorized');
      expect(answer.text).not.toContain('test-api');
    });

    it('the key counts in Authorization alone', async () => {
      const key = host.apiKey;
      for (const path of [
        `/local/health?token=${key}`,
        `/local/health?api_key=${key}`,
        `/status?access_token=${key}`,
      ]) {
        expect(
          (await ask(`${host.url}${path}`, { headers: { cookie: `token=${key}`, 'x-api-key': key } })).status,
        ).toBe(401);
      }
      await expect(
        openSocket({ baseUrl: host.base('local'), subprotocols: ['xagent.connector.packet.v1', key] }),
      ).rejects.toMatchObject({ status: 401 });
      await expect(openSocket({ baseUrl: host.base('local'), apiKey: `${key}x` })).rejects.toBeInstanceOf(
        UpgradeRefused,
      );
    });

    it('L14: everything but card, skill and unguessable file refs asks for the key', async () => {
      for (const path of [
        '/local/health',
        '/local/ws',
        '/local/files/uploads',
        '/status',
        '/metrics',
        '/files/uploads',
      ]) {
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          const answer = await ask(`${host.url}${path}`, { method });
          expect([`${method} ${path}`, answer.status]).toEqual([
            `${method} ${path}`,
            expect.toBeOneOf([400, 401, 404, 405]),
          ]);
          expect(answer.text).not.toContain(host.dataDir);
        }
      }
    });
  });

  it('L12: guessing the key is slowed down, and the right key still works', async () => {
    const slow = await HostProcess.start();
    try {
      const statuses: number[] = [];
      for (let i = 0; i < 60; i += 1) {
        const answer = await ask(`${slow.base('local')}/health`, {
          headers: { authorization: `Bearer guess-${i}`, 'x-extra': String(i) },
        });
        statuses.push(answer.status);
      }
      expect(statuses).toContain(429);
      expect(statuses.every((status) => status === 401 || status === 429)).toBe(true);
      const right = await ask(`${slow.base('local')}/health`, { headers: { authorization: `Bearer ${slow.apiKey}` } });
      expect(right.status).toBe(200);
    } finally {
      await slow.destroy();
    }
  });

  it('L7: a plain HTML form post changes nothing', async () => {
    const answer = await ask(`${host.base('local')}/files/uploads`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.apiKey}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'file=x',
    });
    expect([400, 415]).toContain(answer.status);
  });

  it('L18: a request that never ends its headers holds up nobody else', async () => {
    const socket = connect(host.port, '127.0.0.1');
    socket.write('GET /local/connector-card.json HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    expect((await ask(`${host.base('local')}/connector-card.json`)).status).toBe(200);
    socket.destroy();
  });

  it('garbage instead of HTTP is answered 400 or closed, and the server lives on', async () => {
    const answer = await speakRaw(host.port, '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n');
    expect([0, 400]).toContain(rawStatus(answer));
    const huge = await speakRaw(
      host.port,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${host.port}\r\nX: ${'a'.repeat(70_000)}\r\n\r\n`,
    );
    expect([0, 400, 431]).toContain(rawStatus(huge));
    expect((await ask(`${host.base('local')}/connector-card.json`)).status).toBe(200);
  });
});
