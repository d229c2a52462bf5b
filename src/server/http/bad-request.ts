import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { JSON_TYPE, SECURITY_HEADERS, refusalBody, type Refusal } from './refusal.js';

/** What Node's HTTP parser gave up on, by its error code. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout' },
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers_too_large' },
};
const BAD_REQUEST: Refusal = { status: 400, code: 'bad_request' };

/**
 * Answers what is no HTTP request, where that is still possible, and ends the connection.
 * @param lingerMs how long the rest of it is read away: closing on unread bytes would reset the connection, and the sender
 * would see that instead of the answer
 */
export function badRequestListener(clock: Clock, lingerMs: number) {
  const answered = new WeakSet<Duplex>();
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    // The parser fails again on every further byte.
    if (answered.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    answered.add(socket);
    const timer = clock.after(lingerMs, () => socket.destroy());
    socket.once('close', () => timer.cancel());
    socket.end(answerTo(error));
    socket.resume();
  };
}

function answerTo(error: NodeJS.ErrnoException): string {
  const refusal = REFUSALS[error.code ?? ''] ?? BAD_REQUEST;
  const body = refusalBody(refusal);
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
