import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../clock.js';
import { ProxyError } from './proxy-error.js';
import { addressOf, type ProxyCredentials, type ProxyServer } from './proxy-server.js';

/** A proxy stands in the same network or is a program on this machine: it takes a connection within this; milliseconds. */
const DIAL_DEADLINE_MS = 5_000;
/** It answers once it has reached the other side, which may be far away; milliseconds. */
const ANSWER_DEADLINE_MS = 20_000;
/** The library's own timer runs on the system clock; ours come first, this one is a last resort. Milliseconds. */
const LIBRARY_TIMEOUT_MS = 60_000;

export interface Destination {
  /** A name, which the proxy resolves, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Connects to a place through a proxy (RFC 9110 section 9.3.6; RFC 1928). What is written to the socket arrives there as it is:
 * TLS, if any, is the caller's, from this machine to the destination.
 * @throws ProxyError
 */
export async function openTunnel(
  clock: Clock,
  server: ProxyServer,
  to: Destination,
  credentials: ProxyCredentials | undefined,
): Promise<Socket> {
  const socket = dial(server);
  // Whoever takes the socket listens for itself. Before and afterwards its end is nobody's business.
  socket.on('error', () => undefined);
  const endAfter = (ms: number) => clock.after(ms, () => socket.destroy(new Error('overdue')));
  let timer = endAfter(DIAL_DEADLINE_MS);
  try {
    await once(socket, server.kind === 'https' ? 'secureConnect' : 'connect');
    timer.cancel();
    timer = endAfter(ANSWER_DEADLINE_MS);
    const isHttp = server.kind === 'http' || server.kind === 'https';
    await (isHttp ? askHttp(socket, server, to, credentials) : askSocks(socket, server, to, credentials));
    return socket;
  } catch (error) {
    socket.destroy();
    throw error instanceof ProxyError ? error : new ProxyError('proxy_unreachable', server);
  } finally {
    timer.cancel();
  }
}

function dial({ kind, host, port }: ProxyServer): Socket {
  if (kind !== 'https') return connect({ host, port });
  return connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) });
}

function askHttp(
  socket: Socket,
  server: ProxyServer,
  to: Destination,
  credentials: ProxyCredentials | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const path = addressOf(to);
    const request = httpRequest({
      method: 'CONNECT',
      path,
      headers: { Host: path, ...(credentials && { 'Proxy-Authorization': basic(credentials) }) },
      createConnection: () => socket,
    });
    request.once('connect', ({ statusCode = 0 }, _socket, head) => {
      if (statusCode < 200 || statusCode > 299) {
        reject(new ProxyError('proxy_refused', server, String(statusCode)));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve();
    });
    // Also an answer that is no HTTP: this is some other program.
    request.once('error', () => reject(new ProxyError('proxy_unreachable', server)));
    request.end();
  });
}

async function askSocks(
  socket: Socket,
  server: ProxyServer,
  to: Destination,
  credentials: ProxyCredentials | undefined,
): Promise<void> {
  const { SocksClient } = await import('./socks-bundle.js');
  try {
    await SocksClient.createConnection({
      command: 'connect',
      existing_socket: socket,
      proxy: {
        host: server.host,
        port: server.port,
        type: server.kind === 'socks4' ? 4 : 5,
        ...(credentials && { userId: credentials.user, password: credentials.password }),
      },
      destination: to,
      timeout: LIBRARY_TIMEOUT_MS,
    });
  } catch (error) {
    // The library's error holds the password among its options: nothing of it goes on but which refusal it was.
    throw refusalOf(server, error instanceof Error ? error.message : '');
  }
}

function refusalOf(server: ProxyServer, message: string): ProxyError {
  if (/authentication/i.test(message)) return new ProxyError('proxy_refused', server, 'authentication');
  const [, reason] = /rejected connection(?: - \(?(\w+)\)?)?/i.exec(message) ?? [];
  if (/rejected/i.test(message)) return new ProxyError('proxy_refused', server, reason);
  return new ProxyError('proxy_unreachable', server);
}

/** RFC 7617, section 2. */
function basic({ user, password }: ProxyCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
}
