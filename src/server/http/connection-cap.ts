import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Keeps at most `max` connections. For one more, the oldest that has no request under way makes room: a limit that turned away whoever
 * comes last would let a few hundred senders of headers that never end keep everybody out.
 */
export function capConnections(server: Server, max: number): void {
  const open = new Set<Socket>();
  /** Without a request, oldest first. */
  const waiting = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      waiting.delete(socket);
    });
    if (open.size <= max) return;
    const [oldest = socket] = waiting;
    open.delete(oldest);
    waiting.delete(oldest);
    oldest.destroy();
  });
  server.on('upgrade', ({ socket }) => waiting.delete(socket));
  for (const event of ['request', 'checkContinue'] as const) {
    server.on(event, ({ socket }: IncomingMessage, response: ServerResponse) => {
      waiting.delete(socket);
      response.once('close', () => {
        if (open.has(socket)) waiting.add(socket);
      });
    });
  }
}
