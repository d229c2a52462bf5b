import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { JSON_TYPE, SECURITY_HEADERS, refusalBody, type Refusal } from './refusal.js';

/** What Node's HTTP parser gave up on, by its error code. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'request_timeout' },
  HPE_HEADER_OVERFLOW: { status: 431, code: 'headers_too_large' },
};
const BAD_REQUEST: Refusal = { status: 400, code: 'bad_request' };

/** Answers what is no HTTP request, where that is still possible, and closes the connection. */
export function badRequestListener(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const refusal = REFUSALS[error.code ?? ''] ?? BAD_REQUEST;
  const body = refusalBody(refusal);
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': JSON_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}\r\n`;
  socket.write(`${status}${head.join('')}\r\n${body}`, () => socket.destroy());
}
