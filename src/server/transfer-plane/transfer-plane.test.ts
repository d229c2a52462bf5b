import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readlink, symlink, truncate, unlink } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/deadline.js';
import { ask, multipart, rawStatus, speakRaw, type Answer, type Part } from '../../../test/support/http-client.js';
import { ServerRig } from '../../../test/support/server-rig.js';
import type { StoredFile } from '../../files/file-store.js';

const CHANNEL = 'cch_1';
const MAX = 100_000;

describe('the transfer plane', () => {
  let rig: ServerRig;
  beforeEach(async () => {
    rig = await ServerRig.start({ limits: { lingerMs: 2_000 } });
    rig.connector.addChannel(CHANNEL, 'acc_1');
  });
  afterEach(() => rig.stop());

  const stored = async (): Promise<string[]> => {
    // Made with the first file.
    if (!existsSync(path.join(rig.dataDir, 'files'))) return [];
    const entries = await readdir(path.join(rig.dataDir, 'files'), { withFileTypes: true, recursive: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  };

  describe('uploads (section 5.1)', () => {
    const upload = (parts: readonly Part[], headers: Record<string, string> = {}): Promise<Answer> => {
      const form = multipart(parts);
      return ask(`${rig.url}/alpha/files/uploads`, {
        method: 'POST',
        headers: {
          ...rig.bearer,
          'x-xagent-connector-channel-id': CHANNEL,
          'content-type': form.contentType,
          ...headers,
        },
        body: form.body,
      });
    };
    const file = (content: Buffer | string, filename = 'a.txt'): Part => ({
      name: 'file',
      filename,
      contentType: 'text/plain',
      content,
    });
    const outcome = (answer: Answer): [number, unknown] => [answer.status, answer.json()['error']];

    it('answer with the five fields and bind the file to channel and card', async () => {
      const answer = await upload([file('hello', '报告.txt')]);
      expect(answer.status).toBe(200);
      const { file_ref: ref, ...rest } = answer.json();
      expect(rest).toEqual({ file_type: 'file', filename: '报告.txt', byte_size: 5, expires_at: expect.any(Number) });
      expect(rig.files.get(String(ref))).toMatchObject({ channelId: CHANNEL, cardId: 'im.alpha' });
    });

    it('take the other fields of the table before and after the file', async () => {
      const answer = await upload([
        { name: 'recipient_ref', content: 'r' },
        file('hello'),
        { name: 'reply_token', content: 't' },
        { name: 'unknown', content: 'u' },
      ]);
      expect(answer.status).toBe(200);
    });

    it('keep the first of several file parts', async () => {
      const answer = await upload([
        { name: 'thumbnail', filename: 't.txt', contentType: 'text/plain', content: 'not me' },
        file('first', '1.txt'),
        file('second', '2.txt'),
      ]);
      expect(answer.json()).toMatchObject({ filename: '1.txt', byte_size: 5 });
      expect(await stored()).toHaveLength(1);
    });

    it.each([
      ['without a channel', { 'x-xagent-connector-channel-id': '' }, 400, 'connector_channel_id_required'],
      ['for an unknown channel', { 'x-xagent-connector-channel-id': 'cch_x' }, 404, 'connection_not_found'],
      [
        'for a channel that is not signed in',
        { 'x-xagent-connector-channel-id': 'cch_2' },
        409,
        'connection_not_authenticated',
      ],
      ['as a plain form', { 'content-type': 'application/x-www-form-urlencoded' }, 400, 'bad_multipart'],
      ['without a boundary', { 'content-type': 'multipart/form-data' }, 400, 'bad_multipart'],
      ['with another boundary', { 'content-type': 'multipart/form-data; boundary=other' }, 400, 'bad_multipart'],
      ['without the key', { authorization: '' }, 401, 'unauthorized'],
    ] as const)('%s are refused', async (_what, headers, status, code) => {
      rig.connector.addChannel('cch_2');
      expect(outcome(await upload([file('hello')], headers))).toEqual([status, code]);
      expect(await stored()).toEqual([]);
    });

    it('without a file part, or with an empty one, are refused', async () => {
      expect(outcome(await upload([{ name: 'other', content: 'x' }]))).toEqual([400, 'file_missing']);
      expect(outcome(await upload([{ name: 'file', content: 'a field' }]))).toEqual([400, 'file_missing']);
      expect(outcome(await upload([]))).toEqual([400, expect.stringMatching(/file_missing|bad_multipart/)]);
      expect(outcome(await upload([file('')]))).toEqual([400, 'file_empty']);
      expect(await stored()).toEqual([]);
    });

    it('need not have an open route, for a reconnect may be under way', async () => {
      expect(rig.connector.channels()).toMatchObject([{ channelId: CHANNEL, open: false }]);
      expect((await upload([file('hello')])).status).toBe(200);
    });

    it('of the largest size pass, one byte more is 413 and leaves nothing', async () => {
      expect((await upload([file(Buffer.alloc(MAX, 1))])).status).toBe(200);
      expect(outcome(await upload([file(Buffer.alloc(MAX + 1, 1))]))).toEqual([413, 'file_too_large']);
      expect(await stored()).toHaveLength(1);
    });

    it('far too large are refused by their declared length, before a byte is kept', async () => {
      expect(outcome(await upload([file(Buffer.alloc(10 * MAX, 1))]))).toEqual([413, 'file_too_large']);
      expect(await stored()).toEqual([]);
    });

    it('far too large without a declared length are refused while reading', async () => {
      const form = multipart([file(Buffer.alloc(20 * MAX, 1))]);
      const status = await new Promise<number>((resolve, reject) => {
        const outgoing = httpRequest(`${rig.url}/alpha/files/uploads`, {
          method: 'POST',
          headers: { ...rig.bearer, 'x-xagent-connector-channel-id': CHANNEL, 'content-type': form.contentType },
        });
        outgoing.on('response', (answer) => resolve(answer.resume().statusCode ?? 0)).on('error', reject);
        Readable.from(chunksOf(form.body)).pipe(outgoing);
      });
      expect(status).toBe(413);
      expect(await stored()).toEqual([]);
    });

    it('beyond the total are 507', async () => {
      for (let i = 0; i < 5; i += 1) expect((await upload([file(Buffer.alloc(MAX, i))])).status).toBe(200);
      expect(outcome(await upload([file(Buffer.alloc(MAX, 9))]))).toEqual([507, 'quota_exceeded']);
    });

    it.each(['in the middle of the file', 'after the file, before the form ends'])(
      'aborted %s leave nothing',
      async (where) => {
        const form = multipart([file(Buffer.alloc(50_000, 1)), { name: 'reply_token', content: 't' }]);
        const upTo = where.startsWith('in') ? 20_000 : form.body.length - 20;
        const socket = connect(rig.port, '127.0.0.1');
        socket.write(uploadHead(rig, form.contentType, form.body.length));
        await new Promise<void>((resolve) => socket.write(form.body.subarray(0, upTo), () => resolve()));
        await eventually(async () => (await stored()).length > 0, 'the upload to begin');
        socket.destroy();
        await eventually(async () => (await stored()).length === 0, 'nothing to be left');
      },
    );

    it('cut short although their length was declared so are 400 and leave nothing', async () => {
      const form = multipart([file('hello')]);
      const cut = form.body.subarray(0, form.body.length - 10);
      const answer = await speakRaw(
        rig.port,
        Buffer.concat([Buffer.from(uploadHead(rig, form.contentType, cut.length, ['Connection: close'])), cut]),
      );
      expect([rawStatus(answer), answer.includes('"error":"bad_multipart"')]).toEqual([400, true]);
      expect(await stored()).toEqual([]);
    });

    it('tell a sender that waits to go on only once the key and the channel are right', async () => {
      const form = multipart([file('hello')]);
      const expecting = async (key: string): Promise<string> => {
        const socket = connect(rig.port, '127.0.0.1');
        let heard = '';
        socket.on('data', (chunk: Buffer) => {
          heard += chunk.toString();
          if (heard.endsWith('100 Continue\r\n\r\n')) socket.write(form.body);
        });
        const head = uploadHead(rig, form.contentType, form.body.length, ['Expect: 100-continue', 'Connection: close']);
        socket.write(head.replace(rig.bearer.authorization, `Bearer ${key}`));
        await new Promise((resolve) => socket.on('close', resolve));
        return heard;
      };
      const right = await expecting(rig.key ?? '');
      expect(right).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
      expect(await expecting('wrong')).toMatch(/^HTTP\/1\.1 401 /);
    });

    it.each([
      ['ended', 404, () => rig.connector.removeChannel(CHANNEL)],
      ['was signed out', 409, () => rig.connector.addChannel(CHANNEL)],
    ] as const)('whose channel %s on the way are refused and leave nothing', async (_what, status, end) => {
      const form = multipart([file(Buffer.alloc(50_000, 1))]);
      const socket = connect(rig.port, '127.0.0.1');
      socket.write(uploadHead(rig, form.contentType, form.body.length, ['Connection: close']));
      socket.write(form.body.subarray(0, 1_000));
      await eventually(async () => (await stored()).length === 1, 'the file to come in');
      end();
      socket.write(form.body.subarray(1_000));
      const heard = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
      expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(await stored()).toEqual([]);
    });

    it('at once are bounded, over all connectors', async () => {
      const limited = await ServerRig.start({ limits: { maxConcurrentUploads: 2 } });
      try {
        for (const connector of limited.connectors) connector.addChannel(CHANNEL, 'acc_1');
        const form = multipart([file(Buffer.alloc(50_000, 1))]);
        const slow = limited.connectors.map((connector) => {
          const socket = connect(limited.port, '127.0.0.1');
          socket.write(
            uploadHead(limited, form.contentType, form.body.length).replace('/alpha/', `/${connector.name}/`),
          );
          socket.write(form.body.subarray(0, 1_000));
          return socket;
        });
        const again = () =>
          ask(`${limited.url}/alpha/files/uploads`, {
            method: 'POST',
            headers: { ...limited.bearer, 'x-xagent-connector-channel-id': CHANNEL, 'content-type': form.contentType },
            body: form.body,
          });
        await eventually(async () => (await again()).status === 503, 'the slots to be taken');
        const busy = await again();
        expect([busy.json()['error'], busy.headers['retry-after']]).toEqual(['busy', '1']);
        for (const socket of slow) socket.destroy();
        await eventually(async () => (await again()).status === 200, 'the slots to be free again');
      } finally {
        await limited.stop();
      }
    });
  });

  describe('downloads (section 5.2)', () => {
    const CONTENT = '0123456789';
    let file: StoredFile;
    beforeEach(async () => {
      file = await put({ channelId: CHANNEL, filename: 'zähler.txt', mimeType: 'text/plain' }, CONTENT);
    });
    const put = (
      source: { channelId?: string; accountId?: string; filename?: string; mimeType?: string; cardId?: string },
      content: string | Buffer,
    ): Promise<StoredFile> => rig.files.put({ cardId: 'im.alpha', ...source }, Readable.from([Buffer.from(content)]));
    const get = (ref = file.fileRef, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
      ask(`${rig.url}/alpha/files/refs/${ref}`, { headers, method });

    it('need no key, work again and again, at the prefix and at the root', async () => {
      for (const base of ['/alpha', '', '/alpha']) {
        const answer = await ask(`${rig.url}${base}/files/refs/${file.fileRef}`);
        expect([answer.status, answer.text]).toEqual([200, CONTENT]);
      }
    });

    it('carry headers that keep a browser from running anything', async () => {
      expect((await get()).headers).toMatchObject({
        'content-length': '10',
        'content-disposition': `attachment; filename="z_hler.txt"; filename*=UTF-8''z%C3%A4hler.txt`,
        'content-security-policy': 'sandbox',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'accept-ranges': 'bytes',
        etag: `"${createHash('sha256').update(CONTENT).digest('hex')}"`,
      });
      const page = await put({ channelId: CHANNEL, filename: 'a.html', mimeType: 'text/html' }, '<script>1</script>');
      expect((await get(page.fileRef)).headers['content-type']).toBe('application/octet-stream');
    });

    it('give the part asked for', async () => {
      const part = await get(file.fileRef, { range: 'bytes=2-4' });
      expect([part.status, part.text, part.headers['content-range'], part.headers['content-length']]).toEqual([
        206,
        '234',
        'bytes 2-4/10',
        '3',
      ]);
      const outside = await get(file.fileRef, { range: 'bytes=10-' });
      expect([outside.status, outside.headers['content-range'], outside.json()['error']]).toEqual([
        416,
        'bytes */10',
        'range_not_satisfiable',
      ]);
      expect(outside.headers).not.toHaveProperty('content-disposition');
    });

    it('HEAD is GET of the whole file without the body, whatever range it names', async () => {
      for (const headers of [{}, { range: 'bytes=0-1' }, { range: 'bytes=99-' }]) {
        const head = await get(file.fileRef, headers, 'HEAD');
        expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '10']);
        expect(head.headers).not.toHaveProperty('content-range');
      }
    });

    it('If-Range gives the whole when the file is another one', async () => {
      const etag = String((await get()).headers.etag);
      expect((await get(file.fileRef, { range: 'bytes=0-1', 'if-range': etag })).status).toBe(206);
      expect((await get(file.fileRef, { range: 'bytes=0-1', 'if-range': '"other"' })).status).toBe(200);
    });

    it('whoever has the file already is not sent it again, and whoever wants another one is told', async () => {
      const etag = String((await get()).headers.etag);
      for (const method of ['GET', 'HEAD']) {
        const known = await get(file.fileRef, { 'if-none-match': etag, range: 'bytes=0-1' }, method);
        expect([known.status, known.text, known.headers.etag]).toEqual([304, '', etag]);
        expect(known.headers).not.toHaveProperty('content-type');
      }
      expect((await get(file.fileRef, { 'if-none-match': '"other"' })).text).toBe(CONTENT);
      const other = await get(file.fileRef, { 'if-match': '"other"' });
      expect([other.status, other.json()['error']]).toEqual([412, 'precondition_failed']);
      expect((await get(file.fileRef, { 'if-match': etag })).status).toBe(200);
    });

    it("of an unknown ref, of another connector's, of no connector at all, are 404", async () => {
      const foreign = await put({ cardId: 'im.beta', channelId: 'cch_b' }, 'x');
      const orphan = await put({ cardId: 'im.gone', channelId: 'cch_g' }, 'x');
      for (const ref of ['file_unknown', foreign.fileRef, orphan.fileRef, '..%2f..%2fxagent.db', '%00', '%ff']) {
        const answer = await get(ref);
        expect([ref, answer.status]).toEqual([ref, expect.toBeOneOf([400, 404])]);
      }
      expect((await ask(`${rig.url}/files/refs/${foreign.fileRef}`)).status).toBe(200);
      expect((await ask(`${rig.url}/files/refs/${orphan.fileRef}`)).status).toBe(404);
    });

    it('with the header of another channel are 403, with the right one or none 200', async () => {
      const as = async (channel: string, ref: string) =>
        (await get(ref, { 'x-xagent-connector-channel-id': channel })).status;
      expect(await as(CHANNEL, file.fileRef)).toBe(200);
      expect(await as('cch_other', file.fileRef)).toBe(403);
      const inbound = await put({ accountId: 'acc_1' }, 'from a person');
      expect(await as(CHANNEL, inbound.fileRef)).toBe(200);
      expect(await as('cch_other', inbound.fileRef)).toBe(403);
      const unclaimed = await put({ accountId: 'acc_none' }, 'nobody asked yet');
      expect(await as(CHANNEL, unclaimed.fileRef)).toBe(403);
      expect((await get(unclaimed.fileRef)).status).toBe(200);
    });

    it('whose bytes are gone or cut are 404, not a short file', async () => {
      await truncate(file.path, 4);
      expect((await get()).status).toBe(404);
      await unlink(file.path);
      expect((await get()).status).toBe(404);
    });

    it('that can not be opened right now are not called gone', async () => {
      await unlink(file.path);
      await symlink(file.path, file.path);
      expect((await get()).status).toBe(500);
    });

    it('that nobody reads end with the idle timeout and close the file', async () => {
      const impatient = await ServerRig.start({
        limits: { idleTimeoutMs: 150 },
        options: { maxUploadBytes: 64 * 1024 * 1024 },
        files: { maxUploadBytes: 64 * 1024 * 1024, maxTotalBytes: 128 * 1024 * 1024 },
      });
      try {
        const big = await impatient.files.put(
          { cardId: 'im.alpha', channelId: CHANNEL },
          Readable.from(chunksOf(Buffer.alloc(32 * 1024 * 1024))),
        );
        const socket = connect(impatient.port, '127.0.0.1');
        socket.pause();
        socket.on('error', () => undefined);
        socket.write(`GET /files/refs/${big.fileRef} HTTP/1.1\r\nHost: 127.0.0.1:${impatient.port}\r\n\r\n`);
        await eventually(async () => (await openFiles()).includes(big.path), 'the download to begin');
        await eventually(async () => !(await openFiles()).includes(big.path), 'the file to be closed');
        socket.destroy();
      } finally {
        await impatient.stop();
      }
    });
  });
});

function uploadHead(rig: ServerRig, contentType: string, length: number, more: readonly string[] = []): string {
  const lines = [
    `Host: 127.0.0.1:${rig.port}`,
    `Authorization: ${rig.bearer.authorization}`,
    `X-XAgent-Connector-Channel-ID: ${CHANNEL}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${length}`,
    ...more,
  ];
  return `POST /alpha/files/uploads HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

function* chunksOf(whole: Buffer): Generator<Buffer> {
  const size = 64 * 1024;
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

/** Paths this process holds open. */
async function openFiles(): Promise<string[]> {
  const handles = await readdir('/proc/self/fd');
  return Promise.all(handles.map((handle) => readlink(`/proc/self/fd/${handle}`).catch(() => '')));
}
