import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { isCertificateError } from '../base/certificate-error.js';
import { TransportError } from '../base/errors.js';
import { onceStanding, type WayOut } from '../base/proxy/way-out.js';
import { deadlineSignal } from '../base/deadline.js';

/** One HTTP exchange. Redirects are answered as they are: following one is the caller's decision, after a check of its host. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  /** How the host is reached. */
  readonly wayOut: WayOut;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | { readonly stream: Readable; readonly length: number };
  /** Deadline of the whole exchange, milliseconds; of {@link httpOpen} until the answer's head. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Resolves the host in place of the system, for callers that check the very address that is connected to. */
  readonly lookup?: LookupFunction;
}

export interface HttpHead {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
}

/**
 * Makes one exchange and reads the answer. A body that is a stream is closed, however it ends.
 * @param maxBytes largest body taken; a longer one is `answer_too_large`
 * @throws TransportError `unreachable`, `certificate_refused`, `proxy_unreachable`, `proxy_refused` (effect none), `timeout`, `aborted`,
 *   `connection_lost`, `answer_too_large`;
 *   the effect is `none` until a connection stood, `unknown` afterwards
 */
export async function httpRequest(
  clock: Clock,
  request: HttpRequest,
  maxBytes: number,
): Promise<HttpHead & { readonly body: Buffer }> {
  const bounded = deadlineSignal(clock, request.timeoutMs, request.signal);
  try {
    const answer = await exchange(request, bounded.signal);
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await readAll(answer, maxBytes) };
  } catch (error) {
    throw bounded.expired && error instanceof TransportError ? timedOut(error) : error;
  } finally {
    bounded.done();
    // A call that broke, or was answered before all was sent, leaves its file half read.
    if (typeof request.body === 'object') request.body.stream.destroy();
  }
}

/**
 * Makes one exchange and hands out the body as a stream; the signal cuts it at any time.
 * @throws like {@link httpRequest}; a break while the body is read is the stream's error
 */
export async function httpOpen(clock: Clock, request: HttpRequest): Promise<HttpHead & { readonly body: Readable }> {
  const bounded = deadlineSignal(clock, request.timeoutMs, request.signal);
  try {
    const answer = await exchange(request, bounded.signal);
    const onAbort = (): void => void answer.destroy(new Error('aborted'));
    request.signal?.addEventListener('abort', onAbort, { once: true });
    answer.once('close', () => request.signal?.removeEventListener('abort', onAbort));
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer };
  } catch (error) {
    throw bounded.expired && error instanceof TransportError ? timedOut(error) : error;
  } finally {
    bounded.done();
  }
}

function exchange(request: HttpRequest, signal: AbortSignal): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { url, body, wayOut } = request;
    const secure = url.protocol === 'https:';
    let connected = false;
    const outgoing = (secure ? https : http).request(
      url,
      {
        method: request.method,
        agent: wayOut.agent(secure),
        ...(request.lookup ? { lookup: request.lookup } : {}),
        headers: { ...request.headers, ...(typeof body === 'object' ? { 'Content-Length': body.length } : {}) },
      },
      (answer) => {
        answer.once('close', () => signal.removeEventListener('abort', onAbort));
        resolve(answer);
      },
    );
    const refuse = (error: TransportError): void => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
    };
    const onAbort = (): void => {
      refuse(abandoned(connected));
      outgoing.destroy();
    };
    outgoing.once('socket', (socket) => onceStanding(socket, secure, () => (connected = true)));
    outgoing.on('error', (error) => refuse(exchangeError(error, connected)));
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    if (typeof body === 'object') {
      body.stream.once('error', () => outgoing.destroy());
      body.stream.pipe(outgoing);
    } else {
      outgoing.end(body);
    }
  });
}

/** A call that its caller gave up. @param connected whether it may have reached the server */
export function abandoned(connected: boolean): TransportError {
  return new TransportError('aborted', 'The call was abandoned', { effect: connected ? 'unknown' : 'none' });
}

/**
 * What the error of a request means.
 * @param connected whether a connection stood, so that the request may have reached the server
 * @param server whom the message names as out of reach
 */
export function exchangeError(error: Error, connected: boolean, server = 'The server'): TransportError {
  if (error instanceof TransportError) return error;
  if (connected) return new TransportError('connection_lost', 'The connection broke', { effect: 'unknown' });
  return isCertificateError(error)
    ? new TransportError('certificate_refused', 'The certificate of the server is not trusted', { effect: 'none' })
    : new TransportError('unreachable', `${server} could not be reached`, { effect: 'none' });
}

/**
 * The whole body of an answer.
 * @param maxBytes largest body taken
 * @throws TransportError `connection_lost`, `answer_too_large`, both of unknown effect: the request was there
 */
export async function readAll(answer: http.IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw new TransportError('connection_lost', 'The connection broke while the answer was read', {
      effect: 'unknown',
    });
  }
  if (size > maxBytes) {
    throw new TransportError('answer_too_large', 'The answer is larger than allowed', { effect: 'unknown' });
  }
  return Buffer.concat(chunks);
}

function timedOut(error: TransportError): TransportError {
  return new TransportError('timeout', 'No complete answer in time', { effect: error.effect });
}
