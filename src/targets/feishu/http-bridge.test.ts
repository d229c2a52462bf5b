import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../base/clock.js';
import { STRAIGHT } from '../../base/proxy/way-out.js';
import { httpBridge } from './http-bridge.js';
import { FileForm } from './multipart.js';

/** More than sockets and streams hold back between two who don't read. */
const BYTES = 32 * 1024 * 1024;

/** A form that remembers what it opened. */
class WatchedForm extends FileForm {
  readonly opened: Readable[] = [];

  override open(): Readable {
    const stream = super.open();
    this.opened.push(stream);
    return stream;
  }
}

function formWithFile(): WatchedForm {
  const folder = mkdtempSync(join(tmpdir(), 'feishu-form-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'upload.bin');
  writeFileSync(path, Buffer.alloc(BYTES));
  const stored = { path, byteSize: BYTES } as ConstructorParameters<typeof FileForm>[1]['stored'];
  return new WatchedForm({}, { field: 'file', filename: 'upload.bin', stored });
}

async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/open-apis/im/v1/files`;
}

describe('an upload', () => {
  it('that is abandoned closes its file', async () => {
    const abort = new AbortController();
    const url = await served(() => abort.abort());
    const form = formWithFile();
    // What our own calls add, and the SDK passes on without knowing it.
    const ours = { signal: abort.signal } as object;
    const call = httpBridge({ clock: systemClock, wayOut: STRAIGHT }).request({
      method: 'POST',
      url,
      data: { form },
      ...ours,
    });
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    expect(form.opened.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('that is refused before it was read closes its file', async () => {
    const url = await served((_request, response) => response.end('{"code":234006}'));
    const form = formWithFile();
    const call = httpBridge({ clock: systemClock, wayOut: STRAIGHT }).request({ method: 'POST', url, data: { form } });
    expect(await call).toEqual({ code: 234006 });
    expect(form.opened.map(({ destroyed }) => destroyed)).toEqual([true]);
  });
});
