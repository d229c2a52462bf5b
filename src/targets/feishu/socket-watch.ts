import type http from 'node:http';
import type { Duplex } from 'node:stream';
import type { WayOut } from '../../base/proxy/way-out.js';

export interface SocketSigns {
  /** Bytes came from the other side. */
  onData(): void;
  onClose(): void;
  /** No connection came about. */
  onFailure(error: unknown): void;
}

/**
 * An agent through which the SDK's WebSocket connects, so that we see life and death of the connection itself. The SDK tells
 * of neither a pong nor, once it no longer reconnects by itself, the end.
 */
export function watchedAgent(wayOut: WayOut, isSecure: boolean, signs: SocketSigns): http.Agent {
  const agent = wayOut.agent(isSecure);
  const watch = <S extends Duplex | null | undefined>(socket: S): S => {
    socket?.on('data', () => signs.onData());
    socket?.once('close', () => signs.onClose());
    return socket;
  };
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (target, callback) =>
    watch(
      connect(target, (error, socket) => {
        if (error) signs.onFailure(error);
        callback?.(error, watch(socket));
      }),
    );
  return agent;
}
