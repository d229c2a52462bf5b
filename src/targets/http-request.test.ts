import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../test/support/certificate.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { TestProxy } from '../../test/support/test-proxy.js';
import { startTlsFront } from '../../test/support/tls-front.js';
import { STRAIGHT } from '../base/proxy/way-out.js';
import { httpOpen, httpRequest } from './http-request.js';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000;

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

async function serving(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/path?q=1`);
}

/** An address where nothing listens. */
async function nowhere(): Promise<URL> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return new URL(`http://127.0.0.1:${port}/`);
}

const get = (url: URL, clock = new ManualClock(), signal?: AbortSignal, wayOut = STRAIGHT) =>
  httpRequest(clock, { method: 'GET', url, wayOut, timeoutMs: TIMEOUT_MS, ...(signal && { signal }) }, MAX_BYTES);

describe('one HTTP exchange', () => {
  it('gives status, headers and body, whatever the status', async () => {
    const url = await serving((_request, response) => response.writeHead(418, { 'x-kind': 'tea' }).end('short'));
    const answer = await get(url);
    expect([answer.status, answer.headers['x-kind'], answer.body.toString()]).toEqual([418, 'tea', 'short']);
  });

  it('does not follow a redirect', async () => {
    const url = await serving((_request, response) => response.writeHead(302, { location: '/elsewhere' }).end());
    expect(await get(url)).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
  });

  it('sends a stream with the length it is told', async () => {
    const url = await serving((request, response) => {
      void text(request).then((body) => response.end(`${request.headers['content-length'] ?? 'none'}:${body}`));
    });
    const body = { stream: Readable.from([Buffer.from('ab'), Buffer.from('cd')]), length: 4 };
    const answer = await httpRequest(
      new ManualClock(),
      { method: 'POST', url, wayOut: STRAIGHT, body, timeoutMs: TIMEOUT_MS },
      MAX_BYTES,
    );
    expect(answer.body.toString()).toBe('4:abcd');
  });

  it('that could not begin surely had no effect', async () => {
    await expect(get(await nowhere())).rejects.toMatchObject({ code: 'unreachable', effect: 'none' });
    const aborted = AbortSignal.abort();
    await expect(get(await nowhere(), new ManualClock(), aborted)).rejects.toMatchObject({
      code: 'aborted',
      effect: 'none',
    });
  });

  it('that breaks later may have had one', async () => {
    const cut = await serving((request) => request.socket.destroy());
    await expect(get(cut)).rejects.toMatchObject({ code: 'connection_lost', effect: 'unknown' });
    const half = await serving((_request, response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half');
      setImmediate(() => response.destroy());
    });
    await expect(get(half)).rejects.toMatchObject({ code: 'connection_lost', effect: 'unknown' });
  });

  it.each(['before the head', 'in the body'])('ends at its deadline, silent %s', async (where) => {
    const clock = new ManualClock();
    let asked = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (asked = resolve));
    const url = await serving((_request, response) => {
      if (where === 'in the body') response.writeHead(200, { 'content-length': '10' }).write('x');
      asked();
    });
    const answer = get(url, clock);
    answer.catch(() => undefined);
    await arrived;
    await clock.advance(TIMEOUT_MS);
    await expect(answer).rejects.toMatchObject({ code: 'timeout', effect: 'unknown' });
  });

  it('takes no more than it is allowed', async () => {
    const url = await serving((_request, response) => response.end(Buffer.alloc(MAX_BYTES + 1)));
    await expect(get(url)).rejects.toMatchObject({ code: 'answer_too_large' });
    const fits = await serving((_request, response) => response.end(Buffer.alloc(MAX_BYTES)));
    expect((await get(fits)).body).toHaveLength(MAX_BYTES);
  });

  it('says that the certificate is not trusted, before anything was sent', async () => {
    let requests = 0;
    const behind = await serving((_request, response) => response.end(String((requests += 1))));
    const certificate = await makeCertificate('network.test');
    const front = await startTlsFront(certificate, Number(behind.port));
    try {
      const refused = { code: 'certificate_refused', effect: 'none' };
      await expect(get(new URL(`https://127.0.0.1:${front.port}/`))).rejects.toMatchObject(refused);
      expect(requests).toBe(0);
    } finally {
      await front.close();
      await certificate.remove();
    }
  });

  it('through a proxy had no effect until the other side stood, and may have one from there on', async () => {
    const url = await serving((request) => request.socket.destroy());
    const proxy = await TestProxy.start();
    const wayOut = proxy.wayOut(new ManualClock());
    const through = (to: URL): Promise<unknown> => get(to, new ManualClock(), undefined, wayOut);
    await expect(through(url)).rejects.toMatchObject({ code: 'connection_lost', effect: 'unknown' });
    // The tunnel stands, TLS does not: this server speaks none.
    const secure = new URL(url.href.replace('http:', 'https:'));
    await expect(through(secure)).rejects.toMatchObject({ code: 'unreachable', effect: 'none' });
    proxy.refuses = 502;
    await expect(through(url)).rejects.toMatchObject({ code: 'proxy_refused', effect: 'none', answer: '502' });
    await proxy.stop();
    await expect(through(url)).rejects.toMatchObject({ code: 'proxy_unreachable', effect: 'none' });
  });

  it('that waits for a proxy ends at its deadline, and nothing of it arrives later', async () => {
    let requests = 0;
    const url = await serving((_request, response) => response.end(String((requests += 1))));
    const proxy = await TestProxy.start();
    const clock = new ManualClock();
    let answer = (_pac: string): void => undefined;
    const find = (): Promise<string> => new Promise((resolve) => (answer = resolve));
    const waiting = get(url, clock, undefined, proxy.wayOut(clock, { find }));
    waiting.catch(() => undefined);
    await clock.advance(TIMEOUT_MS);
    await expect(waiting).rejects.toMatchObject({ code: 'timeout', effect: 'none' });
    answer(`PROXY ${proxy.address}`);
    await expect.poll(() => proxy.asked.length).toBe(1);
    await expect.poll(() => proxy.open).toBe(0);
    expect(requests).toBe(0);
    await proxy.stop();
  });

  it('names neither address nor content in its errors', async () => {
    const url = await nowhere();
    const error: unknown = await get(url).catch((reason: unknown) => reason);
    expect(String(error)).not.toContain(url.host);
  });
});

describe('an opened answer', () => {
  it('may take longer than the deadline of its head, and is cut by the signal', async () => {
    const clock = new ManualClock();
    const url = await serving((_request, response) => void response.writeHead(200).write('begun'));
    const controller = new AbortController();
    const request = { method: 'GET', url, wayOut: STRAIGHT, timeoutMs: TIMEOUT_MS, signal: controller.signal } as const;
    const answer = await httpOpen(clock, request);
    await clock.advance(10 * TIMEOUT_MS);
    expect(answer.body.destroyed).toBe(false);
    const read = text(answer.body);
    controller.abort();
    await expect(read).rejects.toThrow('aborted');
  });
});
