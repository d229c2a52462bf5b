import { connect } from 'node:net';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/deadline.js';
import { ask, multipart, type Answer } from '../support/http-client.js';
import { LocalRig } from '../support/local-rig.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { World } from '../support/world.js';

const MAX_UPLOAD = 200_000;
const MAX_TOTAL = 1_000_000;

describe('transfer plane (section 5, R34 to R36, L15, L16)', () => {
  let world: World;
  let agent: SpecAgent;
  let channel: string;
  beforeAll(async () => {
    world = await World.start(new LocalRig(), { files: { maxUploadBytes: MAX_UPLOAD, maxTotalBytes: MAX_TOTAL } });
    channel = (await world.bound()).channel;
    await world.farewell();
  });
  beforeEach(async () => {
    agent = await world.agent();
    await agent.open(channel);
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const post = (body: { contentType: string; body: Buffer }, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(`${world.base}/files/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.host.apiKey}`,
        'x-xagent-connector-channel-id': channel,
        'content-type': body.contentType,
        ...headers,
      },
      body: body.body,
    });
  const oneFile = (content: Buffer | string, filename = 'a.txt', contentType = 'text/plain') =>
    multipart([{ name: 'file', filename, contentType, content }]);
  const ref = (
    fileRef: unknown,
    options: { headers?: Record<string, string>; method?: string } = {},
  ): Promise<Answer> => ask(`${world.base}/files/refs/${String(fileRef)}`, options);
  const PNG = Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex'),
    Buffer.alloc(64),
  ]);

  describe('5.1 uploads', () => {
    it('the answer has the five fields, and the bytes come back unchanged', async () => {
      const content = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 256));
      const answer = await post(oneFile(content, 'data.bin', 'application/octet-stream'));
      expect(answer.status).toBe(200);
      const upload = answer.json();
      expect(Object.keys(upload).sort()).toEqual(['byte_size', 'expires_at', 'file_ref', 'file_type', 'filename']);
      expect(upload).toMatchObject({ file_type: 'file', filename: 'data.bin', byte_size: 5_000 });
      expect(Number(upload['expires_at'])).toBeGreaterThan(Date.now());
      expect((await ref(upload['file_ref'])).body.equals(content)).toBe(true);
    });

    it('L15: refs hold at least 128 bits and differ for equal files', async () => {
      const refs = await Promise.all(
        [1, 2, 3].map(async () =>
          String((await agent.files.upload(channel, { filename: 'a', content: 'same' }))['file_ref']),
        ),
      );
      expect(new Set(refs).size).toBe(3);
      for (const one of refs) expect(one.replace(/^file_/, '').length).toBeGreaterThanOrEqual(22);
    });

    it('L16: the declared type is trusted only where the bytes agree', async () => {
      expect((await post(oneFile(PNG, 'a.png', 'image/png'))).json()['file_type']).toBe('image');
      expect((await post(oneFile('<script>alert(1)</script>', 'a.png', 'image/png'))).json()['file_type']).toBe('file');
    });

    it('optional fields of the table are taken and ignored', async () => {
      const form = multipart([
        { name: 'recipient_ref', content: 'someone' },
        { name: 'reply_token', content: 'token' },
        { name: 'file', filename: 'a.txt', contentType: 'text/plain', content: 'x' },
      ]);
      expect((await post(form)).status).toBe(200);
    });

    it.each([
      ['no file part', () => multipart([{ name: 'other', content: 'x' }]), 400],
      ['a file field that is no file', () => multipart([{ name: 'file', content: 'x' }]), 400],
      ['an empty file', () => oneFile(''), 400],
    ])('R34: %s is %i', async (_what, form, status) => {
      const answer = await post(form());
      expect(answer.status).toBe(status);
      expect(answer.json()).toMatchObject({ error: expect.stringMatching(/^[a-z_]+$/), message: expect.any(String) });
    });

    it('R34: a body that is not multipart, or is broken, is 4xx', async () => {
      expect((await post({ contentType: 'application/json', body: Buffer.from('{}') })).status).toBeOneOf([400, 415]);
      expect((await post({ contentType: 'multipart/form-data', body: Buffer.from('x') })).status).toBe(400);
      expect(
        (await post({ contentType: 'multipart/form-data; boundary=b', body: Buffer.from('--b\r\nnonsense') })).status,
      ).toBe(400);
    });

    it('R34: no channel header is 400, an unknown channel 404, one without sign-in 409', async () => {
      const form = oneFile('x');
      const headers = { authorization: `Bearer ${world.host.apiKey}`, 'content-type': form.contentType };
      const send = (extra: Record<string, string>): Promise<Answer> =>
        ask(`${world.base}/files/uploads`, { method: 'POST', headers: { ...headers, ...extra }, body: form.body });
      expect((await send({})).status).toBe(400);
      expect((await send({ 'x-xagent-connector-channel-id': 'cch_unknown' })).status).toBe(404);
      const fresh = (await agent.open()).channel;
      expect((await send({ 'x-xagent-connector-channel-id': fresh })).status).toBe(409);
    });

    it('R34: a route need not be open, only known and signed in', async () => {
      await agent.request('channel.close', { channel });
      expect((await post(oneFile('x'))).status).toBe(200);
    });

    it('without the key there is no upload, and nothing is read', async () => {
      expect((await post(oneFile('x'), { authorization: 'Bearer no' })).status).toBe(401);
    });

    it('R34, L16: too large is 413 while reading, with an honest and with no declared length, and leaves nothing', async () => {
      const before = await filesOnDisk(world.host.dataDir);
      expect((await post(oneFile(Buffer.alloc(MAX_UPLOAD + 1, 1)))).status).toBe(413);
      const form = oneFile(Buffer.alloc(MAX_UPLOAD * 3, 1));
      const chunked = await chunkedPost(world.host.port, '/local/files/uploads', form, {
        authorization: `Bearer ${world.host.apiKey}`,
        'x-xagent-connector-channel-id': channel,
      });
      expect(chunked).toBe(413);
      await eventually(async () => (await filesOnDisk(world.host.dataDir)) === before, 'no leftover');
      expect((await post(oneFile(Buffer.alloc(MAX_UPLOAD, 1)))).status).toBe(200);
    });

    it('L16: an aborted upload leaves nothing', async () => {
      const before = await filesOnDisk(world.host.dataDir);
      const form = oneFile(Buffer.alloc(100_000, 2));
      const socket = connect(world.host.port, '127.0.0.1');
      socket.write(
        `POST /local/files/uploads HTTP/1.1\r\nHost: 127.0.0.1:${world.host.port}\r\nAuthorization: Bearer ${world.host.apiKey}\r\n` +
          `X-XAgent-Connector-Channel-ID: ${channel}\r\nContent-Type: ${form.contentType}\r\nContent-Length: ${form.body.length}\r\n\r\n`,
      );
      socket.write(form.body.subarray(0, 60_000));
      await eventually(async () => (await filesOnDisk(world.host.dataDir)) > before, 'upload to begin').catch(
        () => undefined,
      );
      socket.destroy();
      await eventually(async () => (await filesOnDisk(world.host.dataDir)) === before, 'no leftover');
    });

    it('R34: the total bound is 507, and others are not evicted for it', async () => {
      const first = await agent.files.upload(channel, { filename: 'first.bin', content: 'keep me' });
      let status = 200;
      for (let i = 0; i < 12 && status === 200; i += 1)
        status = (await post(oneFile(Buffer.alloc(MAX_UPLOAD, 3)))).status;
      expect(status).toBe(507);
      expect((await ref(first['file_ref'])).status).toBe(200);
    });
  });
});

describe('downloads (section 5.2, R35 to R37, L15)', () => {
  let world: World;
  let agent: SpecAgent;
  let channel: string;
  const CONTENT = Buffer.from('0123456789abcdefghij');
  let fileRef: string;
  beforeAll(async () => {
    world = await World.start(new LocalRig());
    ({ agent, channel } = await world.bound());
    fileRef = String(
      (await agent.files.upload(channel, { filename: 'digits.txt', content: CONTENT, contentType: 'text/plain' }))[
        'file_ref'
      ],
    );
  });
  afterAll(async () => {
    await world.farewell();
    await world.end();
  });

  const get = (options: { headers?: Record<string, string>; method?: string } = {}, of = fileRef): Promise<Answer> =>
    ask(`${world.base}/files/refs/${of}`, options);

  it('R36: served under the prefix and at the root, without any header, again and again', async () => {
    for (const url of [
      `${world.base}/files/refs/${fileRef}`,
      `${world.host.url}/files/refs/${fileRef}`,
      `${world.base}/files/refs/${fileRef}`,
    ]) {
      const answer = await ask(url);
      expect(answer.status).toBe(200);
      expect(answer.body.equals(CONTENT)).toBe(true);
    }
  });

  it("R35: another connector's prefix does not serve it", async () => {
    expect((await ask(`${world.host.base('telegram')}/files/refs/${fileRef}`)).status).toBe(404);
  });

  it('L15: safe headers', async () => {
    const { headers } = await get();
    expect(headers['content-length']).toBe(String(CONTENT.length));
    expect(headers['content-disposition']).toMatch(/^attachment;/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toContain('no-store');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['content-security-policy']).toContain('sandbox');
    expect(headers['content-type']).toBeTruthy();
    expect(headers['accept-ranges']).toBe('bytes');
  });

  it('HEAD is GET without its body', async () => {
    const answer = await get({ method: 'HEAD' });
    expect([answer.status, answer.body.length, answer.headers['content-length']]).toEqual([200, 0, '20']);
  });

  it.each([
    ['bytes=0-4', 206, '01234', 'bytes 0-4/20'],
    ['bytes=15-', 206, 'fghij', 'bytes 15-19/20'],
    ['bytes=-3', 206, 'hij', 'bytes 17-19/20'],
    ['bytes=0-0', 206, '0', 'bytes 0-0/20'],
    ['bytes=10-999', 206, 'abcdefghij', 'bytes 10-19/20'],
    ['bytes=-999', 206, '0123456789abcdefghij', 'bytes 0-19/20'],
  ])('Range %s', async (range, status, body, contentRange) => {
    const answer = await get({ headers: { range } });
    expect([answer.status, answer.text, answer.headers['content-range'], answer.headers['content-length']]).toEqual([
      status,
      body,
      contentRange,
      String(body.length),
    ]);
  });

  it.each(['bytes=20-', 'bytes=99-100', 'bytes=-0'])('Range %s is 416', async (range) => {
    const answer = await get({ headers: { range } });
    expect([answer.status, answer.headers['content-range']]).toEqual([416, 'bytes */20']);
  });

  it.each(['bytes=5-2', 'lines=1-2', 'bytes=a-b', 'bytes=0-1,3-4'])(
    'Range %s is not understood: the whole file, or 416',
    async (range) => {
      const answer = await get({ headers: { range } });
      expect(answer.status).toBeOneOf([200, 206, 416]);
      if (answer.status === 200) expect(answer.body.equals(CONTENT)).toBe(true);
    },
  );

  it('R35: a channel header that does not fit is 403, one that fits is fine', async () => {
    expect((await get({ headers: { 'x-xagent-connector-channel-id': channel } })).status).toBe(200);
    expect((await get({ headers: { 'x-xagent-connector-channel-id': 'cch_other' } })).status).toBe(403);
  });

  it.each([
    'file_unknown_0000000000000000000000',
    '..%2f..%2f..%2fetc%2fpasswd',
    '../../../../etc/passwd',
    '%2e%2e/%2e%2e/xagent.db',
    'a%00b',
    '%',
    '%ff%fe',
    "x'%20OR%201=1--",
    'x'.repeat(5_000),
  ])('path trick %s is 4xx and gives nothing away', async (trick) => {
    const answer = await get({}, trick);
    expect(answer.status).toBeOneOf([400, 404, 414]);
    expect(answer.text).not.toContain(world.host.dataDir);
    expect(answer.text).not.toContain('root:');
  });

  it.each([
    ['报告 “终稿”.pdf', /filename\*=UTF-8''%E6%8A%A5%E5%91%8A/],
    ['naïve résumé.txt', /filename\*=UTF-8''na%C3%AFve/],
    ['plain.txt', /filename="?plain\.txt"?/],
    ["o'neil (1).txt", /filename\*?=/],
  ])('RFC 5987: the name %s is told so that every client can read it', async (filename, expected) => {
    const upload = await agent.files.upload(channel, { filename, content: 'x' });
    expect(upload['filename']).toBe(filename);
    const header = String((await get({}, String(upload['file_ref']))).headers['content-disposition']);
    expect(header).toMatch(expected);
    expect(header).toMatch(/^[\x20-\x7e]*$/);
    const extended = /filename\*=UTF-8''([^;]+)/.exec(header)?.[1];
    if (extended !== undefined) {
      expect(decodeURIComponent(extended)).toBe(filename);
      expect(extended).toMatch(/^(?:%[0-9A-F]{2}|[A-Za-z0-9!#$&+.^_`|~-])+$/);
    }
  });

  it.each(['../../evil.txt', '/etc/passwd', 'C:\\windows\\evil.exe', '..', '.', ''])(
    'a name %s that is a path becomes a name',
    async (filename) => {
      const answer = await agent.files.uploadRaw(channel, { filename, content: 'x' });
      if (answer.status !== 200) {
        expect(answer.status).toBe(400);
        return;
      }
      const name = String(answer.json()['filename']);
      expect(name).not.toMatch(/[/\\]/);
      expect(['', '.', '..']).not.toContain(name);
    },
  );

  it('a control character in a name cannot split a header', async () => {
    const answer = await agent.files.uploadRaw(channel, { filename: `a\tb\u0001c${id('x')}.txt`, content: 'x' });
    if (answer.status !== 200) {
      expect(answer.status).toBe(400);
      return;
    }
    const got = await get({}, String(answer.json()['file_ref']));
    expect(got.status).toBe(200);
    expect(String(got.headers['content-disposition'])).toMatch(/^[\x20-\x7e]*$/);
  });

  it('R37: the wrong method is 405', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await get({ method, headers: { authorization: `Bearer ${world.host.apiKey}` } })).status).toBe(405);
    }
    const upload = await ask(`${world.base}/files/uploads`, {
      headers: { authorization: `Bearer ${world.host.apiKey}` },
    });
    expect([upload.status, upload.headers.allow]).toEqual([405, expect.stringContaining('POST')]);
  });

  it.each([
    ['survive a restart', {}, 200],
    ['end with files.ttlMs, over a restart too', { files: { ttlMs: 1_500 } }, 404],
  ])('refs %s', async (_what, config, status) => {
    const own = await World.start(new LocalRig(), config);
    try {
      const bound = await own.bound();
      const upload = await bound.agent.files.upload(bound.channel, { filename: 'a', content: 'brief' });
      await own.host.restart();
      const url = `${own.base}/files/refs/${String(upload['file_ref'])}`;
      await eventually(async () => (await ask(url)).status === status, `the ref to be answered ${status}`);
    } finally {
      await own.end();
    }
  });
});

/** How many regular files the data directory holds, logs and the database's own aside. */
async function filesOnDisk(dataDir: string): Promise<number> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries.filter(
    (e) =>
      e.isFile() && !/\.(log|db|db-wal|db-shm)(\.|$)/.test(e.name) && !join(e.parentPath, e.name).includes('/logs/'),
  ).length;
}

/** Posts a form with chunked encoding, so that the server learns the length only by reading. */
async function chunkedPost(
  port: number,
  path: string,
  form: { contentType: string; body: Buffer },
  headers: Record<string, string>,
): Promise<number> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, method: 'POST', headers: { ...headers, 'content-type': form.contentType } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    // The server may answer and close before all is written: its answer still counts.
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' || error.code === 'ECONNRESET' ? resolve(413) : reject(error),
    );
    for (let at = 0; at < form.body.length; at += 16_384) outgoing.write(form.body.subarray(at, at + 16_384));
    outgoing.end();
  });
}
