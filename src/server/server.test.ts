import { createServer as createTcpServer, connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeConnector } from '../../test/support/fake-connector.js';
import { ask, rawStatus, speakRaw } from '../../test/support/http-client.js';
import { upgradeRequest } from '../../test/support/raw-upgrade.js';
import { ServerRig, type RigOptions } from '../../test/support/server-rig.js';
import type { Mount } from './http/route.js';

describe('the server', () => {
  let rig: ServerRig | undefined;
  const start = async (setup?: RigOptions): Promise<ServerRig> => (rig = await ServerRig.start(setup));
  afterEach(async () => {
    await rig?.stop();
    rig = undefined;
  });

  describe('listening', () => {
    it('is on the loopback address alone', async () => {
      const { port, server } = await start();
      expect(port).toBeGreaterThan(0);
      expect(server.routes.length).toBeGreaterThan(0);
      await expect(
        new Promise((resolve, reject) =>
          connect({ port, host: '127.0.0.2' }, () => resolve('open')).on('error', reject),
        ),
      ).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });

    it('refuses an address that other machines can reach', async () => {
      await expect(start({ options: { host: '0.0.0.0' } })).rejects.toMatchObject({
        name: 'ServerConfigError',
        key: 'server.host',
      });
    });

    it('refuses an allowed host that is none', async () => {
      await expect(start({ options: { allowedHosts: ['http://x/'] } })).rejects.toMatchObject({
        key: 'server.allowedHosts',
      });
    });

    it('names the port that is taken', async () => {
      const squatter = createTcpServer();
      await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
      const { port } = squatter.address() as AddressInfo;
      try {
        await expect(start({ options: { port } })).rejects.toMatchObject({
          name: 'PortInUseError',
          port,
          message: `port ${port} is already in use`,
        });
      } finally {
        await new Promise((resolve) => squatter.close(resolve));
      }
    });
  });

  describe('moving to another port', () => {
    const status = async (port: number) => (await ask(`http://127.0.0.1:${port}/alpha/connector-card.json`)).status;

    it('opens the new one before it lets go of the old, whose sockets close with 1001', async () => {
      const { server, port, connectors } = await start();
      const agent = await rig!.agent();
      expect(server.agents()).toHaveLength(1);
      const moved = await server.listen(0);
      expect(moved.port).not.toBe(port);
      expect(await status(moved.port)).toBe(200);
      expect(await agent.closed).toMatchObject({ code: 1001 });
      await expect.poll(() => status(port).catch(() => 'refused')).toBe('refused');
      expect(connectors[0]?.links.size).toBe(0);
      rig!.port = moved.port;
      await rig!.agent();
      expect(server.agents()).toMatchObject([{ connector: 'alpha', protocolVersion: '3.0' }]);
    });

    it('changes nothing when the other port is taken, or the choice could not be kept', async () => {
      const { server, port } = await start();
      const agent = await rig!.agent();
      const squatter = createTcpServer();
      await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
      const { port: taken } = squatter.address() as AddressInfo;
      try {
        await expect(server.listen(taken)).rejects.toMatchObject({ code: 'port_in_use', port: taken });
        await expect(server.listen(0, () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
      } finally {
        await new Promise((resolve) => squatter.close(resolve));
      }
      expect(await status(port)).toBe(200);
      await agent.settle();
    });

    it('accepts other Host names from the moment they are allowed', async () => {
      const { server, url } = await start();
      const asked = async () =>
        (await ask(`${url}/alpha/connector-card.json`, { headers: { host: 'box.example:1' } })).status;
      expect(await asked()).toBe(403);
      server.allowHosts(['box.example:1']);
      expect(await asked()).toBe(200);
      expect(() => server.allowHosts(['http://x/'])).toThrow(/allowedHosts/);
      expect(await asked()).toBe(200);
    });
  });

  describe('who is there', () => {
    it('is told as an agent introduced itself, without what a window could not show', async () => {
      const { server } = await start();
      const agent = await rig!.agent({ hello: false });
      expect(server.agents()).toEqual([]);
      await agent.hello(undefined, { client: { name: ' xAgent\u0007 ', version: 7 } });
      const [first] = server.agents();
      expect(first).toMatchObject({ connector: 'alpha', name: 'xAgent', version: undefined, profile: 'xagent.im.v2' });
      expect(first?.lastPacketAt).toBeGreaterThanOrEqual(first?.connectedAt ?? Infinity);
      agent.socket.close();
      await expect.poll(() => server.agents()).toEqual([]);
    });

    it('counts wrong keys, and a missing one as none', async () => {
      const { server, url } = await start();
      expect(server.refusedKeys).toBeUndefined();
      await ask(`${url}/alpha/health`);
      expect(server.refusedKeys).toBeUndefined();
      await ask(`${url}/alpha/health`, { headers: { authorization: 'Bearer wrong' } });
      expect(server.refusedKeys).toMatchObject({ count: 1, address: '127.0.0.1' });
    });
  });

  describe('control plane (section 4)', () => {
    it('serves card and skill to everybody, health to who has the key', async () => {
      const { url, connector, bearer } = await start();
      const card = await ask(`${url}/alpha/connector-card.json`);
      expect([card.status, card.json()]).toEqual([200, connector.card]);
      expect(card.headers['content-type']).toMatch(/^application\/json/);
      const skill = await ask(`${url}/alpha/skill.md`);
      expect([skill.status, skill.text]).toEqual([200, connector.skill]);
      expect(skill.headers['content-type']).toMatch(/^text\/markdown/);
      expect((await ask(`${url}/alpha/health`)).status).toBe(401);
      const health = await ask(`${url}/alpha/health`, { headers: bearer });
      expect([health.status, health.json()]).toEqual([
        200,
        {
          status: 'ok',
          connector_card_id: 'im.alpha',
          connector_card_version: '1.2.3',
          protocol_version: '3.0',
          build: connector.card.build,
        },
      ]);
    });

    it('keeps connectors apart by their prefix', async () => {
      const { url } = await start();
      expect((await ask(`${url}/beta/connector-card.json`)).json()).toMatchObject({ connector_card_id: 'im.beta' });
    });

    it('has no skill where there is none', async () => {
      const bare = new FakeConnector('bare');
      bare.skill = '';
      const { url } = await start({ connectors: [bare] });
      expect((await ask(`${url}/bare/skill.md`)).status).toBe(404);
    });

    it('answers HEAD like GET, without the body', async () => {
      const { url, bearer } = await start();
      for (const path of ['/alpha/connector-card.json', '/alpha/skill.md', '/alpha/health']) {
        const get = await ask(`${url}${path}`, { headers: bearer });
        const head = await ask(`${url}${path}`, { method: 'HEAD', headers: bearer });
        expect([head.status, head.text, head.headers['content-length'], head.headers['content-type']]).toEqual([
          200,
          '',
          get.headers['content-length'],
          get.headers['content-type'],
        ]);
      }
    });
  });

  describe('answers', () => {
    it('an unknown path is 404, a known one with another method 405 with what it allows', async () => {
      const { url, bearer } = await start();
      for (const path of [
        '/',
        '/nothing',
        '/alpha',
        '/alpha/',
        '/alpha/health/',
        '/Alpha/health',
        '/alpha/files/refs/',
        '/%',
      ]) {
        const answer = await ask(`${url}${path}`, { headers: bearer });
        expect([path, answer.status, answer.json()]).toEqual([path, 404, { error: 'not_found' }]);
      }
      const posted = await ask(`${url}/alpha/health`, { method: 'POST', headers: bearer });
      expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
      const fetched = await ask(`${url}/alpha/files/uploads`, { headers: bearer });
      expect([fetched.status, fetched.headers.allow]).toEqual([405, 'POST']);
      const deleted = await ask(`${url}/alpha/connector-card.json`, { method: 'DELETE' });
      expect([deleted.status, deleted.json()]).toEqual([405, { error: 'method_not_allowed' }]);
    });

    it('OPTIONS is 405, and nothing ever says CORS', async () => {
      const { url, bearer } = await start();
      for (const path of ['/alpha/connector-card.json', '/alpha/files/uploads', '/nothing']) {
        const options = await ask(`${url}${path}`, { method: 'OPTIONS' });
        expect(options.status).toBe(405);
        const get = await ask(`${url}${path}`, { headers: bearer });
        for (const name of [...Object.keys(options.headers), ...Object.keys(get.headers)]) {
          expect(name).not.toMatch(/^access-control-/);
        }
      }
    });

    it('all carry the security headers, refusals included', async () => {
      const { url, bearer } = await start();
      const answers = [
        await ask(`${url}/alpha/connector-card.json`),
        await ask(`${url}/alpha/health`, { headers: bearer }),
        await ask(`${url}/alpha/health`),
        await ask(`${url}/nothing`),
        await ask(`${url}/alpha/health`, { headers: { host: 'evil.example' } }),
      ];
      for (const { headers } of answers) {
        expect(headers).toMatchObject({
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
          'cross-origin-resource-policy': 'same-origin',
        });
        expect(headers).not.toHaveProperty('x-powered-by');
        expect(headers).not.toHaveProperty('server');
      }
    });

    it('a handler that breaks is 500 without a word about why', async () => {
      const mount: Mount = {
        prefix: '/broken',
        ownOrigin: false,
        routes: [
          { method: 'GET', path: '/now', access: 'public', handle: () => Promise.reject(new Error('secret path')) },
        ],
        upgrades: [],
      };
      const { url } = await start({ mounts: [mount] });
      const answer = await ask(`${url}/broken/now`);
      expect([answer.status, answer.json()['error']]).toEqual([500, 'internal_error']);
      expect(answer.text).not.toContain('secret');
    });
  });

  describe('mounts', () => {
    it('add their own paths under the same guards, with their own origin where they say so', async () => {
      const closed: string[] = [];
      const mount: Mount = {
        prefix: '/ui',
        ownOrigin: true,
        routes: [
          {
            method: 'GET',
            path: '/*rest',
            access: 'public',
            handle(ctx, params) {
              ctx.body = params['rest'];
            },
          },
        ],
        upgrades: [
          {
            path: '/live',
            access: 'own',
            accept: (_request, _socket, _head, refuse) => refuse({ status: 403, code: 'no_session' }),
          },
        ],
        close: () => Promise.resolve(void closed.push('ui')),
      };
      const started = await start({ mounts: [mount] });
      const { url, port } = started;
      const own = { origin: url };
      expect((await ask(`${url}/ui/a/b.js`, { headers: own })).text).toBe('a/b.js');
      expect((await ask(`${url}/ui/a`, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
      expect((await ask(`${url}/alpha/connector-card.json`, { headers: own })).status).toBe(403);
      const live = await speakRaw(port, upgradeRequest('/ui/live', [`Host: 127.0.0.1:${port}`, `Origin: ${url}`]));
      expect([rawStatus(live), live.includes('no_session')]).toEqual([403, true]);
      await started.server.close();
      expect(closed).toEqual(['ui']);
    });
  });

  describe('status', () => {
    it('/status is the report, /metrics the same in Prometheus text', async () => {
      const { url, bearer, connector } = await start();
      connector.addChannel('cch_1', 'acc_1');
      const status = await ask(`${url}/status`, { headers: bearer });
      expect(status.json()).toMatchObject({ version: '0.1.0', connectors: [{ name: 'alpha' }, { name: 'beta' }] });
      const metrics = await ask(`${url}/metrics`, { headers: bearer });
      expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(metrics.text).toContain(
        'xagent_connector_pending_messages{connector="alpha",channel="cch_1",account="acc_1"} 0\n',
      );
    });
  });

  it('closes within its deadline although a download is not read and a request hangs', async () => {
    const mount: Mount = {
      prefix: '/hang',
      ownOrigin: false,
      routes: [{ method: 'GET', path: '/on', access: 'public', handle: () => new Promise<void>(() => undefined) }],
      upgrades: [],
    };
    const started = await start({ mounts: [mount], limits: { closeMs: 100, drainMs: 100 } });
    const hanging = speakRaw(started.port, `GET /hang/on HTTP/1.1\r\nHost: 127.0.0.1:${started.port}\r\n\r\n`);
    await ask(`${started.url}/alpha/connector-card.json`);
    await started.server.close();
    expect(await hanging).toBe('');
    await expect(ask(`${started.url}/alpha/connector-card.json`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
