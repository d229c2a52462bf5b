import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { HttpRefusal } from './refusal.js';
import type { RefuseUpgrade, Route, UpgradeRoute } from './route.js';

/** RFC 6455 close codes this server uses. */
export const CloseCode = { goingAway: 1001, notText: 1003, policyViolation: 1008 } as const;

/** The path of a WebSocket asked for without an upgrade. */
export function upgradeRequired({ path, access }: Pick<UpgradeRoute, 'path' | 'access'>): Route {
  return {
    method: 'GET',
    path,
    access,
    handle() {
      throw new HttpRefusal({
        status: 426,
        code: 'upgrade_required',
        message: 'this is a WebSocket endpoint',
        headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
      });
    },
  };
}

/** Completes the handshake of an upgrade that was let in; one that is none is refused as plain HTTP. */
export function completeUpgrade(
  server: WebSocketServer,
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  refuse: RefuseUpgrade,
  opened: (ws: WebSocket) => void,
): void {
  // `ws` tells of it within the call, to whoever listens on the server.
  const malformed = (): void => refuse({ status: 400, code: 'bad_handshake' });
  server.once('wsClientError', malformed);
  server.handleUpgrade(request, socket, head, opened);
  server.off('wsClientError', malformed);
}
