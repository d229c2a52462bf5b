import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../base/clock.js';
import { STRAIGHT } from '../../base/proxy/way-out.js';
import type { StoredFile } from '../../files/file-store.js';
import { NS } from './namespaces.js';
import { el, type Stanza } from './stanza.js';
import { uploadFile } from './upload.js';

/** More than sockets and streams hold back between two who don't read. */
const BYTES = 32 * 1024 * 1024;
const service = { jid: 'upload.example.org', maxBytes: undefined };

let file: StoredFile;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'xmpp-upload-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'upload.bin');
  writeFileSync(path, Buffer.alloc(BYTES));
  file = { path, byteSize: BYTES, filename: 'upload.bin', mimeType: 'application/octet-stream' } as StoredFile;
});

/** Uploads to a server that answers like this. */
async function upload(answer: RequestListener, signal = new AbortController().signal): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/upload.bin`;
  const slot = el('slot', { xmlns: NS.upload }, ...['put', 'get'].map((name) => el(name, { xmlns: NS.upload, url })));
  const ask = async (): Promise<Stanza> => el('iq', { type: 'result' }, slot);
  return uploadFile(ask, { clock: systemClock, wayOut: STRAIGHT }, service, file, true, signal);
}

describe('an upload', () => {
  it('of a file that is gone is refused for good: no repeat brings it back', async () => {
    rmSync(file.path);
    const reading: RequestListener = (request, response) => request.resume().on('end', () => response.end());
    await expect(upload(reading)).rejects.toMatchObject({ code: 'file_unavailable', retryable: false });
  });

  it.each([302, 408, 429, 503])('that HTTP %i puts off may be tried again', async (status) => {
    const busy: RequestListener = (request, response) =>
      request.resume().on('end', () => response.writeHead(status).end());
    await expect(upload(busy)).rejects.toMatchObject({ name: 'TransportError', code: 'server_error', effect: 'none' });
  });

  it('that HTTP 403 refuses is refused for good', async () => {
    const refusing: RequestListener = (request, response) =>
      request.resume().on('end', () => response.writeHead(403).end());
    await expect(upload(refusing)).rejects.toMatchObject({ code: 'upload_refused', retryable: false });
  });

  it.runIf(process.platform === 'linux')('that is abandoned closes its file', async () => {
    const abort = new AbortController();
    await expect(upload(() => abort.abort(), abort.signal)).rejects.toMatchObject({ code: 'aborted', effect: 'none' });
    await expect.poll(opened).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('that is refused before it was read closes its file', async () => {
    const refusing: RequestListener = (_request, response) => response.writeHead(413).end();
    await expect(upload(refusing)).rejects.toMatchObject({ code: 'file_too_large' });
    await expect.poll(opened).toEqual([]);
  });
});

/** Descriptors of this process that are open on the file. */
function opened(): string[] {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(join('/proc/self/fd', descriptor)) === file.path;
    } catch {
      return false;
    }
  });
}
