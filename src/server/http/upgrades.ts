import { ServerResponse, type IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '../../base/logger.js';
import { allowsOwnOrigin } from './app.js';
import type { ApiKeyGuard } from './api-key-guard.js';
import { JSON_TYPE, SECURITY_HEADERS, refusalBody, type Refusal } from './refusal.js';
import { checkRequest, pathOf, type GuardPolicy } from './request-guard.js';
import type { Mount, UpgradeRoute } from './route.js';

export interface UpgradeParts {
  readonly mounts: readonly Mount[];
  readonly apiKey: ApiKeyGuard;
  readonly policy: () => GuardPolicy;
  /** Serves a request that named a protocol to upgrade to which is not WebSocket, as if it had not. */
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  readonly log: Logger;
}

/** The listener for `upgrade`: the same guards as for plain requests, then the key, then the mount's own handler. */
export function upgradeListener({ mounts, apiKey, policy, serve, log }: UpgradeParts) {
  const routes = new Map<string, { readonly mount: Mount; readonly route: UpgradeRoute }>();
  for (const mount of mounts) {
    for (const route of mount.upgrades) routes.set(`${mount.prefix}${route.path}`, { mount, route });
  }

  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node took its own listeners off; a reset peer must not end the process.
    socket.on('error', () => socket.destroy());
    if (!isWebSocket(request)) {
      // HTTP/1.1 lets a server ignore an upgrade (some clients always offer h2c); a body can't be read any more here.
      if (request.method === 'GET' || request.method === 'HEAD') serve(request, responseOn(request, socket));
      else refuseUpgrade(request, socket, { status: 400, code: 'upgrade_not_supported' });
      return;
    }
    const path = pathOf(request.url);
    const refusal = checkRequest(
      { method: request.method, target: request.url, rawHeaders: request.rawHeaders },
      policy(),
      allowsOwnOrigin(mounts, path),
    );
    if (refusal) {
      log.info({ code: refusal.code }, 'a WebSocket was refused');
      refuseUpgrade(request, socket, refusal);
      return;
    }
    const found = routes.get(path);
    if (!found || found.mount.admits?.(request) === false) {
      refuseUpgrade(request, socket, { status: 404, code: 'not_found' });
      return;
    }
    const { mount, route } = found;
    const denied =
      route.access === 'key'
        ? (mount.keyGuard ?? apiKey).check(request.headers.authorization, request.socket.remoteAddress ?? '')
        : undefined;
    if (denied) {
      refuseUpgrade(request, socket, denied);
      return;
    }
    route.accept(request, socket, head, (reason) => refuseUpgrade(request, socket, reason));
  };
}

/** Answers an upgrade request as plain HTTP and ends the connection. */
function refuseUpgrade(request: IncomingMessage, socket: Duplex, refusal: Refusal): void {
  const body = refusalBody(refusal);
  const response = responseOn(request, socket);
  response.writeHead(refusal.status, {
    ...SECURITY_HEADERS,
    ...refusal.headers,
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A response on a socket that Node has let go of. */
function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  if (socket instanceof Socket) response.assignSocket(socket);
  // Not just `end`: a peer that never closes its side would keep the connection for ever.
  response.on('finish', () => (socket instanceof Socket ? socket.destroySoon() : socket.destroy()));
  return response;
}

function isWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}
