import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';

export interface SocketSigns {
  /** Bytes came from the other side. */
  onData(): void;
  onClose(): void;
}

/**
 * An agent through which the SDK's WebSocket connects, so that we see life and death of the connection itself. The SDK tells
 * of neither a pong nor, once it no longer reconnects by itself, the end.
 */
export function watchedAgent(isSecure: boolean, signs: SocketSigns): http.Agent {
  const agent = isSecure ? new https.Agent() : new http.Agent();
  const watch = (socket: Duplex | null | undefined): Duplex | null | undefined => {
    socket?.on('data', () => signs.onData());
    socket?.once('close', () => signs.onClose());
    return socket;
  };
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => watch(connect(...args));
  return agent;
}
