import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { within } from '../../base/within.js';
import { PortForbiddenError, PortInUseError } from '../server-errors.js';
import type { ServerLimits } from '../server-options.js';
import { badRequestListener } from './bad-request.js';
import { capConnections } from './connection-cap.js';

export interface ListenerParts {
  /** The loopback address to bind. */
  readonly address: string;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** A port that accepts connections. */
export interface OpenPort {
  readonly address: string;
  readonly port: number;
  /** Accepts no more; once `meanwhile` is over, answers under way may end, then the rest is cut. Never rejects. */
  close(meanwhile: Promise<unknown>): Promise<void>;
}

/**
 * Accepts connections on a port; 0 takes a free one.
 * @throws PortInUseError, PortForbiddenError, or Node's error when the address can't be bound
 */
export async function openPort(parts: ListenerParts, port: number): Promise<OpenPort> {
  const { clock, limits, address, log } = parts;
  const server = httpServer(parts);
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (request, socket: Duplex, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    parts.upgrade(request, socket, head);
  });
  await listen(server, address, port);
  server.on('error', (error) => log.error({ error: describeError(error) }, 'the server failed'));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server is not bound to a port');
  return {
    address: bound.address,
    port: bound.port,
    async close(meanwhile) {
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await meanwhile.catch(() => undefined);
      await within(clock, limits.closeMs, stopped);
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await within(clock, limits.closeMs, stopped);
    },
  };
}

function listen(server: Server, address: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      if (error.code === 'EADDRINUSE') reject(new PortInUseError(port));
      else if (error.code === 'EACCES') reject(new PortForbiddenError(port));
      else reject(error);
    };
    server.once('error', failed);
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function httpServer({ limits, clock, serve }: ListenerParts): Server {
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // The guard says what is wrong with a Host header, a missing one included.
    requireHostHeader: false,
  });
  // None are dropped: the guard counts them, and their bytes are bounded above.
  server.maxHeadersCount = 0;
  capConnections(server, limits.maxConnections);
  server.setTimeout(limits.idleTimeoutMs, (socket: Socket) => socket.destroy());
  server.on('request', serve);
  // Whether a waiting sender may go on is the upload's decision, after its key was checked.
  server.on('checkContinue', serve);
  server.on('clientError', badRequestListener(clock, limits.lingerMs));
  return server;
}
