import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/deadline.js';
import { ask } from '../../../test/support/http-client.js';
import { ManualClock, settle } from '../../../test/support/manual-clock.js';
import { quietLog } from '../../../test/support/quiet-log.js';
import { API_KEY, ServerRig } from '../../../test/support/server-rig.js';
import { BridgeRefused, UiBrowser } from '../../../test/support/ui-browser.js';
import type { Answer } from '../../bridge/index.js';
import { DEFAULT_LIMITS } from '../server-options.js';
import { LINK_TTL_MS, MAX_OPEN_LINKS } from './one-time-tokens.js';
import { createUi, type Ui } from './ui-mount.js';
import { MAX_SESSIONS, SESSION_TTL_MS } from './ui-sessions.js';

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('the window in a browser', () => {
  let folder: string;
  let clock: ManualClock;
  let rig: ServerRig;
  let ui: Ui;
  let changed: () => void;
  let commands: string[];
  let uploaded: { accountId: string; filename: string; text: string }[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ui-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>page</title>');
    await writeFile(join(folder, 'assets', 'index-abc123.js'), 'export {};');
    await writeFile(join(folder, 'assets', 'notes.exe'), 'no');
    await writeFile(join(folder, 'secret.json'), '{}');
    clock = new ManualClock();
    commands = [];
    uploaded = [];
    changed = () => undefined;
    ui = createUi({
      port: {
        answer: (command): Promise<Answer> => {
          commands.push(command);
          return Promise.resolve(
            command === 'fail' ? { error: { code: 'no', message: 'no' } } : { result: { did: command } },
          );
        },
        snapshot: () => ({ version: '1' }),
        onChange: (fn) => {
          changed = fn;
          return () => (changed = () => undefined);
        },
        chat: {
          upload: async (accountId, { filename }, content: Readable) => {
            const pieces: Buffer[] = [];
            for await (const piece of content) pieces.push(Buffer.from(piece as Uint8Array));
            uploaded.push({ accountId, filename, text: Buffer.concat(pieces).toString() });
            return 'a-token';
          },
          file: () => undefined,
        },
        bundle: () => Promise.resolve({ filename: 'b.txt', mimeType: 'text/plain', content: Buffer.from('bundle') }),
      },
      folder,
      maxUploadBytes: 1000,
      limits: DEFAULT_LIMITS,
      clock,
      log: quietLog,
    });
    rig = await ServerRig.start({ mounts: [ui.mount] });
  });
  afterEach(async () => {
    await rig.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const browser = () => new UiBrowser(rig.url);
  async function letIn(): Promise<UiBrowser> {
    const one = browser();
    await one.open(ui.newLink());
    return one;
  }
  const hasSession = async (one: UiBrowser) => (await one.get('/ui/session')).json()['session'];

  describe('its page', () => {
    it('is served to everybody, with the headers that keep it to itself', async () => {
      const page = await browser().get('/ui/');
      expect([page.status, page.text]).toEqual([200, '<!doctype html><title>page</title>']);
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': CSP,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      });
      expect(page.headers).not.toHaveProperty('set-cookie');
    });

    it('without its slash leads to it', async () => {
      const answer = await browser().get('/ui');
      expect([answer.status, answer.headers.location]).toEqual([308, '/ui/']);
    });

    it('loads its assets once and for good, and nothing else of the folder', async () => {
      const asset = await browser().get('/ui/assets/index-abc123.js');
      expect([asset.status, asset.headers['content-type'], asset.headers['cache-control']]).toEqual([
        200,
        'text/javascript; charset=utf-8',
        'private, max-age=31536000, immutable',
      ]);
      for (const path of [
        'assets/notes.exe',
        'assets/missing.js',
        'assets/..%2findex.html',
        'assets/..%2f..%2fsecret.json',
        'assets/%2e%2e',
        'assets/.hidden.js',
        'assets/',
        'secret.json',
        'index.html',
      ]) {
        expect([path, (await browser().get(`/ui/${path}`)).status]).toEqual([path, expect.toBeOneOf([400, 404])]);
      }
    });

    it('says plainly that it was not built', async () => {
      await rm(folder, { recursive: true });
      const answer = await browser().get('/ui/');
      expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/plain; charset=utf-8']);
      expect(answer.text).toContain('npm run build');
    });
  });

  describe('a one-time link', () => {
    it('lets one browser in, once', async () => {
      const link = ui.newLink();
      expect(link).toMatch(/^\/ui\/#token=[\w-]{43}$/);
      const first = browser();
      const answer = await first.open(link);
      expect([answer.status, answer.json()]).toEqual([200, { session: true }]);
      expect(answer.headers['set-cookie']).toEqual([
        expect.stringMatching(
          new RegExp(`^xagent_ui_${rig.port}=[\\w-]{43}; Path=/ui/; Max-Age=43200; HttpOnly; SameSite=Strict$`),
        ),
      ]);
      expect(await hasSession(first)).toBe(true);
      const second = browser();
      const refused = await second.open(link);
      expect([refused.status, refused.json()['error']]).toEqual([401, 'link_expired']);
      expect(second.cookie).toBeUndefined();
      expect(await hasSession(second)).toBe(false);
    });

    it('is over after its time, and when too many were made since', async () => {
      const late = ui.newLink();
      await clock.advance(LINK_TTL_MS);
      expect((await browser().open(late)).status).toBe(401);
      const crowdedOut = ui.newLink();
      for (let i = 0; i < MAX_OPEN_LINKS; i += 1) ui.newLink();
      expect((await browser().open(crowdedOut)).status).toBe(401);
      expect((await browser().open(ui.newLink())).status).toBe(200);
    });

    it('counts in the body of a JSON request alone', async () => {
      const token = ui.newLink().replace('/ui/#token=', '');
      const one = browser();
      const json = JSON.stringify({ token });
      for (const [status, headers, body] of [
        [415, { 'content-type': 'text/plain' }, json],
        [415, { 'content-type': 'application/x-www-form-urlencoded' }, `token=${token}`],
        [400, { 'content-type': 'application/json' }, '{"token":'],
        [400, { 'content-type': 'application/json' }, JSON.stringify({ token: 7 })],
        [400, { 'content-type': 'application/json' }, JSON.stringify({ token, more: 1 })],
        [413, { 'content-type': 'application/json' }, JSON.stringify({ token: 'x'.repeat(2000) })],
      ] as const) {
        expect([body, (await one.post('/ui/session', { headers, body })).status]).toEqual([body, status]);
      }
      expect((await one.get(`/ui/?token=${token}`)).headers).not.toHaveProperty('set-cookie');
      expect((await one.redeem(token)).status).toBe(200);
    });

    it.each([
      ['no origin', { origin: '' }],
      ['another site', { origin: 'http://evil.example' }],
      ['an opaque page', { origin: 'null' }],
      ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
      ['another name of this machine', { origin: 'http://localhost:PORT' }],
      ['https', { origin: 'https://127.0.0.1:PORT' }],
      ['a page beside', { 'sec-fetch-site': 'same-site' }],
      ['an address bar', { 'sec-fetch-site': 'none' }],
    ])('is not taken from %s, and is still good afterwards', async (_what, headers: Record<string, string>) => {
      const token = ui.newLink().replace('/ui/#token=', '');
      const own = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(rig.port))]),
      );
      expect((await browser().redeem(token, own)).status).toBe(403);
      expect((await browser().redeem(token)).status).toBe(200);
    });

    it('is not guessed: wrong ones are slowed down, and a right one still lets in', async () => {
      const statuses: number[] = [];
      for (let i = 0; i < 40; i += 1) statuses.push((await browser().redeem(`guess-${i}`)).status);
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
      expect((await browser().open(ui.newLink())).status).toBe(200);
    });
  });

  describe('a session', () => {
    it('is over after its time: its socket closes and nothing is answered', async () => {
      const one = await letIn();
      const bridge = await one.bridge();
      await clock.advance(SESSION_TTL_MS);
      expect(await bridge.closed).toBe(1008);
      expect(await hasSession(one)).toBe(false);
      await expect(one.bridge()).rejects.toMatchObject({ status: 401 });
    });

    it('ends with a sign-out, which takes the cookie back', async () => {
      const one = await letIn();
      const bridge = await one.bridge();
      const answer = await one.post('/ui/sign-out');
      expect([answer.status, answer.headers['set-cookie']?.[0]]).toEqual([200, expect.stringContaining('Max-Age=0')]);
      expect(await bridge.closed).toBe(1008);
      expect(await hasSession(one)).toBe(false);
      expect((await one.post('/ui/sign-out')).status).toBe(401);
    });

    it('is replaced when the same browser opens a fresh link', async () => {
      const one = await letIn();
      const former = one.cookie;
      await one.open(ui.newLink());
      expect(one.cookie).not.toBe(former);
      one.cookie = former;
      expect(await hasSession(one)).toBe(false);
    });

    it('makes room for the newest beyond the bound', async () => {
      const oldest = await letIn();
      for (let i = 0; i < MAX_SESSIONS; i += 1) await letIn();
      expect(await hasSession(oldest)).toBe(false);
    });

    it('does not end with a rotated API key, nor does the key open one', async () => {
      const one = await letIn();
      rig.rotate('another-key-0123456789');
      expect(await hasSession(one)).toBe(true);
      const keyed = browser();
      expect((await keyed.get('/ui/bundle', { authorization: `Bearer ${API_KEY}` })).status).toBe(401);
      expect((await keyed.get('/ui/bundle', { authorization: 'Bearer another-key-0123456789' })).status).toBe(401);
    });

    it('ends with the server', async () => {
      const one = await letIn();
      const bridge = await one.bridge();
      await rig.server.close();
      expect(await bridge.closed).toBe(1001);
    });
  });

  it('every route asks for a session, save those that give one or hold nothing', async () => {
    const own = rig.server.routes.filter(({ path }) => path.startsWith('/ui'));
    expect(own.filter(({ access }) => access === 'public').map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /ui',
      'GET /ui/',
      'GET /ui/assets/:name',
      'GET /ui/session',
    ]);
    const guarded = own.filter(({ access, path }) => access !== 'public' && path !== '/ui/session');
    expect(guarded.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /ui/sign-out',
      'POST /ui/files',
      'GET /ui/files/:ref',
      'GET /ui/bundle',
      'GET /ui/bridge',
      'UPGRADE /ui/bridge',
    ]);
    const stale = await letIn();
    await stale.post('/ui/sign-out');
    for (const one of [browser(), stale]) {
      for (const { method, path } of guarded) {
        const concrete = path.replace(':ref', 'file_x?account=acc_1');
        if (method === 'UPGRADE') await expect(one.bridge()).rejects.toBeInstanceOf(BridgeRefused);
        else {
          const answer = method === 'GET' ? await one.get(concrete) : await one.post(concrete, { body: 'x' });
          expect([path, answer.status]).toEqual([path, expect.toBeOneOf([401, 426])]);
        }
      }
    }
    expect(commands).toEqual([]);
    expect(uploaded).toEqual([]);
  });

  describe('the bridge', () => {
    it('carries commands out and says what is refused', async () => {
      const bridge = await (await letIn()).bridge();
      expect(await bridge.call('pending', { accountId: 'a' })).toEqual({ id: 1, result: { did: 'pending' } });
      expect(await bridge.call('fail')).toEqual({ id: 2, error: { code: 'no', message: 'no' } });
      bridge.socket.terminate();
    });

    it('does not offer what answers with a secret', async () => {
      const bridge = await (await letIn()).bridge();
      for (const command of ['api-key', 'rotate-api-key', 'ui-link']) {
        expect(await bridge.call(command)).toMatchObject({ error: { code: 'not_for_windows' } });
      }
      expect(commands).toEqual([]);
      bridge.socket.terminate();
    });

    it('tells changes together, at most five a second, to whoever subscribed', async () => {
      const bridge = await (await letIn()).bridge();
      changed();
      await bridge.call('pending');
      expect(bridge.snapshots()).toEqual([]);
      expect(await bridge.call('subscribe')).toMatchObject({ result: {} });
      await eventually(() => bridge.snapshots().length === 1, 'the first snapshot');
      for (let i = 0; i < 10; i += 1) changed();
      await settle();
      await bridge.call('pending');
      expect(bridge.snapshots()).toHaveLength(1);
      await clock.advance(200);
      await eventually(() => bridge.snapshots().length === 2, 'the second snapshot');
      await bridge.call('pending');
      expect(bridge.snapshots()).toHaveLength(2);
      bridge.socket.terminate();
    });

    it.each([
      ['no JSON', 'hello', 1008],
      ['no request', '{"id":"x"}', 1008],
      ['too deep', `{"id":1,"command":"a","params":{"a":${'['.repeat(40)}${']'.repeat(40)}}}`, 1008],
      ['bytes', Buffer.from('{}'), 1003],
      ['too large', `"${'x'.repeat(1024 * 1024)}"`, 1009],
    ])('closes on %s', async (_what, frame, code) => {
      const bridge = await (await letIn()).bridge();
      bridge.socket.send(frame);
      expect(await bridge.closed).toBe(code);
    });

    it('is cut when the browser is gone and TCP has not noticed', async () => {
      const one = await letIn();
      const bridge = await one.bridge({ headers: one.pageHeaders, autoPong: false });
      for (let i = 0; i < 3; i += 1) await clock.advance(25_000);
      expect(await bridge.closed).toBe(1006);
    });

    it.each([
      ['no origin', {}],
      ['a foreign origin', { origin: 'http://evil.example' }],
      ['an opaque origin', { origin: 'null' }],
      ['another name of this machine', { origin: 'http://localhost:PORT' }],
    ])('refuses an upgrade with the cookie and %s', async (_what, headers: Record<string, string>) => {
      const one = await letIn();
      const own = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', String(rig.port))]),
      );
      await expect(one.bridge({ headers: { ...one.cookieHeader, ...own } })).rejects.toMatchObject({ status: 403 });
    });

    it('refuses a name that was led here, with cookie and matching origin', async () => {
      const one = await letIn();
      const headers = {
        ...one.cookieHeader,
        host: `evil.example:${rig.port}`,
        origin: `http://evil.example:${rig.port}`,
      };
      await expect(one.bridge({ headers })).rejects.toMatchObject({ status: 403 });
      const page = await ask(`${rig.url}/ui/`, { headers: { host: `evil.example:${rig.port}` } });
      expect(page.status).toBe(403);
    });
  });

  describe('files', () => {
    it('are taken as they are, for the chat that is named', async () => {
      const one = await letIn();
      const answer = await one.post('/ui/files?account=acc_1&name=z%C3%A4hler.txt', { body: 'hello' });
      expect([answer.status, answer.json()]).toEqual([200, { token: 'a-token' }]);
      expect(uploaded).toEqual([{ accountId: 'acc_1', filename: 'zähler.txt', text: 'hello' }]);
    });

    it('are refused beyond the limit, without a name, and from elsewhere', async () => {
      const one = await letIn();
      const post = (path: string, headers: Record<string, string> = {}, body = 'x') =>
        one.post(path, { headers, body }).then(({ status }) => status);
      expect(await post('/ui/files?account=acc_1&name=a', {}, 'x'.repeat(1001))).toBe(413);
      expect(await post('/ui/files?account=acc_1')).toBe(400);
      expect(await post('/ui/files?account=a&account=b&name=c')).toBe(400);
      expect(await post('/ui/files?account=acc_1&name=a', { origin: 'http://localhost:1' })).toBe(403);
      expect(uploaded).toEqual([]);
    });

    it('the bundle is a file to save', async () => {
      const answer = await (await letIn()).get('/ui/bundle');
      expect([answer.text, answer.headers['content-disposition']]).toEqual(['bundle', 'attachment; filename="b.txt"']);
    });
  });
});
