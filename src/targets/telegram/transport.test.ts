import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../test/support/certificate.js';
import { startTlsFront } from '../../../test/support/tls-front.js';
import { STRAIGHT } from '../../base/proxy/way-out.js';
import { TelegramTransport } from './transport.js';

const ROUND = Buffer.alloc(64 * 1024);

/** A file that is never sent to its end. */
const endless = (): Readable =>
  new Readable({
    read() {
      setImmediate(() => this.push(ROUND));
    },
  });

describe('the file of a call', () => {
  let server: Server;
  let transport: TelegramTransport;
  afterEach(() => {
    transport.close();
    server.closeAllConnections();
    server.close();
  });

  async function upload(
    body: Readable,
    answer: RequestListener,
    signal = new AbortController().signal,
  ): Promise<unknown> {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const apiRoot = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    transport = new TelegramTransport(apiRoot, STRAIGHT);
    const sent = await transport.fetch(`${apiRoot}/bot1:x/sendDocument`, { method: 'POST', body }, signal);
    return sent.json();
  }

  it('is closed when the connection breaks', async () => {
    const body = endless();
    const call = upload(body, (request) => request.once('data', () => request.socket.destroy()));
    await expect(call).rejects.toMatchObject({ code: 'connection_lost' });
    expect(body.destroyed).toBe(true);
  });

  it('is closed when the call is given up', async () => {
    const body = endless();
    const giveUp = new AbortController();
    const call = upload(body, (request) => request.once('data', () => giveUp.abort()), giveUp.signal);
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    expect(body.destroyed).toBe(true);
  });

  it('is closed when the answer comes before all of it was sent', async () => {
    const body = endless();
    const call = upload(body, (request, response) => {
      request.once('data', () => response.writeHead(413, { connection: 'close' }).end('{"ok":false}'));
    });
    await expect(call).resolves.toMatchObject({ ok: false, error_code: 413 });
    await expect.poll(() => body.destroyed).toBe(true);
  });
});

it('sends no token to a server whose certificate is not trusted, and says that it is that', async () => {
  const certificate = await makeCertificate('telegram.test');
  const front = await startTlsFront(certificate, 9);
  const apiRoot = `https://127.0.0.1:${front.port}`;
  const transport = new TelegramTransport(apiRoot, STRAIGHT);
  try {
    const call = transport.fetch(`${apiRoot}/bot1:x/getMe`, {}, new AbortController().signal);
    await expect(call).rejects.toMatchObject({ code: 'certificate_refused', effect: 'none' });
  } finally {
    transport.close();
    await front.close();
    await certificate.remove();
  }
});
