import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { within } from '../base/within.js';
import type { Connector } from '../connector/connector.js';
import type { Delivery } from '../delivery/delivery.js';
import type { FileStore } from '../files/file-store.js';
import { controlPlaneRoutes } from './control-plane.js';
import type { AgentFacts } from './data-plane/agent-facts.js';
import { DataPlane } from './data-plane/data-plane.js';
import { ApiKeyGuard, type ApiKeySource, type RefusedKeys } from './http/api-key-guard.js';
import { createApp } from './http/app.js';
import { badRequestListener } from './http/bad-request.js';
import { bindAddress } from './http/loopback.js';
import { guardPolicy, isHostEntry, type GuardPolicy } from './http/request-guard.js';
import type { Access, Mount } from './http/route.js';
import { upgradeListener } from './http/upgrades.js';
import { PortInUseError, ServerConfigError } from './server-errors.js';
import { DEFAULT_LIMITS, type ServerLimits, type ServerOptions } from './server-options.js';
import type { StatusReport } from './status-report.js';
import { statusRoutes } from './status-routes.js';
import { downloadRoute } from './transfer-plane/downloads.js';
import { uploadRoute, type UploadSlots } from './transfer-plane/uploads.js';

export interface ServerParts {
  readonly connectors: readonly Connector[];
  readonly files: FileStore;
  readonly delivery: Delivery;
  readonly apiKey: ApiKeySource;
  /** Called for every `GET /status` and `GET /metrics`. */
  readonly status: () => StatusReport;
  readonly options: ServerOptions;
  readonly limits?: ServerLimits;
  /**
   * A connector on which the host itself plays an agent: not listed, not counted, and not there for a request that `admits`
   * does not know.
   */
  readonly rehearsal?: { readonly connector: Connector; readonly admits: (request: IncomingMessage) => boolean };
  /** Further parts of the server, such as the window's bridge. */
  readonly mounts?: readonly Mount[];
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Server {
  /** Accepts connections. @throws PortInUseError, or Node's error when the address can't be bound */
  listen(): Promise<{ host: string; port: number }>;
  /** Stops accepting, lets what is in flight finish, closes sockets with 1001; done within `drainMs` + 2 × `closeMs`. */
  close(): Promise<void>;
  /** Every agent that is connected right now. */
  agents(): readonly AgentFacts[];
  /** Wrong API keys since the start; undefined while there were none. */
  readonly refusedKeys: RefusedKeys | undefined;
  /** Every path served, for whoever wants to check who may call what. */
  readonly routes: readonly ServedRoute[];
}

export interface ServedRoute {
  readonly method: 'GET' | 'POST' | 'UPGRADE';
  readonly path: string;
  readonly access: Access;
}

/**
 * The server of all connectors: one port, one path prefix each.
 * @throws ServerConfigError when `options` can't be served as written
 */
export function createServer(parts: ServerParts): Server {
  return new ConnectorServer(parts);
}

class ConnectorServer implements Server {
  readonly routes: readonly ServedRoute[];
  readonly #parts: ServerParts;
  readonly #limits: ServerLimits;
  readonly #address: string;
  readonly #mounts: readonly Mount[];
  readonly #http: HttpServer;
  readonly #planes: readonly DataPlane[];
  readonly #apiKey: ApiKeyGuard;
  readonly #endRotation: () => void;
  #policy: GuardPolicy;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? DEFAULT_LIMITS;
    const { options, clock, log } = parts;
    this.#address = bindAddress(options.host);
    for (const entry of options.allowedHosts) {
      if (!isHostEntry(entry))
        throw new ServerConfigError('server.allowedHosts', 'holds an entry that is no host name');
    }
    this.#policy = this.#policyFor(options.port);

    const slots: UploadSlots = { used: 0 };
    const planes = new Map(parts.connectors.map((connector) => [connector, this.#dataPlane(connector)]));
    this.#planes = [...planes.values()];
    const stage = parts.rehearsal && { ...parts.rehearsal, plane: this.#dataPlane(parts.rehearsal.connector) };
    this.#endRotation = parts.apiKey.onRotate(() => {
      for (const plane of planes.values()) plane.revoke('api key rotated');
      stage?.plane.revoke('api key rotated');
    });
    const connectorMounts = [...planes].map(([connector, plane]) => this.#connectorMount(connector, plane, slots));
    if (stage) {
      const keyGuard = new ApiKeyGuard(parts.apiKey, clock, log);
      const mount = this.#connectorMount(stage.connector, stage.plane, slots);
      connectorMounts.push({ ...mount, admits: stage.admits, keyGuard });
    }
    this.#mounts = [this.#rootMount(), ...connectorMounts, ...(parts.mounts ?? [])];
    this.routes = this.#mounts.flatMap(servedRoutes);

    const apiKey = new ApiKeyGuard(parts.apiKey, clock, log);
    this.#apiKey = apiKey;
    const shared = { mounts: this.#mounts, apiKey, policy: () => this.#policy, log };
    const answer = createApp(shared).callback();
    // koa answers its own failures; there is nothing left to await.
    const serve = (request: IncomingMessage, response: ServerResponse): void => void answer(request, response);
    this.#http = this.#httpServer(serve);
    this.#http.on('upgrade', upgradeListener({ ...shared, serve }));
  }

  async listen(): Promise<{ host: string; port: number }> {
    const { port } = this.#parts.options;
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        reject(error.code === 'EADDRINUSE' ? new PortInUseError(port) : error);
      };
      this.#http.once('error', failed);
      this.#http.listen({ host: this.#address, port, exclusive: true }, () => {
        this.#http.off('error', failed);
        this.#http.on('error', (error) => this.#parts.log.error({ error: describeError(error) }, 'the server failed'));
        resolve();
      });
    });
    const bound = boundTo(this.#http);
    this.#policy = this.#policyFor(bound.port);
    return { host: bound.address, port: bound.port };
  }

  async close(): Promise<void> {
    const { clock } = this.#parts;
    this.#endRotation();
    const stopped = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeIdleConnections();
    await Promise.all(this.#mounts.flatMap((mount) => (mount.close ? [mount.close()] : [])));
    // Requests whose answers are under way may end; then the rest is cut.
    await within(clock, this.#limits.closeMs, stopped);
    this.#http.closeAllConnections();
    await within(clock, this.#limits.closeMs, stopped);
  }

  agents(): readonly AgentFacts[] {
    return this.#planes.flatMap((plane) => plane.agents());
  }

  get refusedKeys(): RefusedKeys | undefined {
    return this.#apiKey.refused;
  }

  #policyFor(port: number): GuardPolicy {
    const { allowedHosts, allowedOrigins } = this.#parts.options;
    return guardPolicy(this.#address, port, allowedHosts, allowedOrigins);
  }

  #httpServer(serve: (request: IncomingMessage, response: ServerResponse) => void): HttpServer {
    const limits = this.#limits;
    const server = createHttpServer({
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
    server.maxConnections = limits.maxConnections;
    server.setTimeout(limits.idleTimeoutMs, (socket: Socket) => socket.destroy());
    server.on('request', serve);
    // Whether a waiting sender may go on is the upload's decision, after its key was checked.
    server.on('checkContinue', serve);
    server.on('clientError', badRequestListener(this.#parts.clock, limits.lingerMs));
    return server;
  }

  #dataPlane(connector: Connector): DataPlane {
    const { delivery, files, options, clock, log } = this.#parts;
    const ownLog = log.child({ connector: connector.name });
    return new DataPlane({ connector, delivery, files, options, limits: this.#limits, clock, log: ownLog });
  }

  /** What belongs to no connector: refs by their leading-slash form, and the local status API. */
  #rootMount(): Mount {
    const { connectors, files, status, log } = this.#parts;
    return {
      prefix: '',
      ownOrigin: false,
      routes: [downloadRoute({ files, connectors, log }), ...statusRoutes(status)],
      upgrades: [],
    };
  }

  #connectorMount(connector: Connector, plane: DataPlane, slots: UploadSlots): Mount {
    const { files, options, clock, log } = this.#parts;
    const { maxUploadBytes } = options;
    return {
      prefix: `/${connector.name}`,
      ownOrigin: false,
      routes: [
        ...controlPlaneRoutes(connector),
        uploadRoute({ connector, files, maxUploadBytes, limits: this.#limits, clock, slots }),
        downloadRoute({ files, connectors: [connector], log }),
        plane.route,
      ],
      upgrades: [plane.upgrade],
      close: () => plane.close(),
    };
  }
}

function servedRoutes(mount: Mount): ServedRoute[] {
  return [
    ...mount.routes.map(({ method, path, access }) => ({ method, path: `${mount.prefix}${path}`, access })),
    ...mount.upgrades.map(({ path, access }) => ({
      method: 'UPGRADE' as const,
      path: `${mount.prefix}${path}`,
      access,
    })),
  ];
}

function boundTo(server: HttpServer): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server is not bound to a port');
  return address;
}
