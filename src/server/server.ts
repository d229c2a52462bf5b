import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { Connector } from '../connector/connector.js';
import type { Delivery } from '../delivery/delivery.js';
import type { FileStore } from '../files/file-store.js';
import { controlPlaneRoutes } from './control-plane.js';
import type { AgentFacts } from './data-plane/agent-facts.js';
import { DataPlane } from './data-plane/data-plane.js';
import { ApiKeyGuard, type ApiKeySource, type RefusedKeys } from './http/api-key-guard.js';
import { createApp } from './http/app.js';
import { openPort, type ListenerParts, type OpenPort } from './http/listener.js';
import { bindAddress } from './http/loopback.js';
import { guardPolicy, isHostEntry, type GuardPolicy } from './http/request-guard.js';
import type { Access, Mount } from './http/route.js';
import { upgradeListener } from './http/upgrades.js';
import { ServerConfigError } from './server-errors.js';
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
  /**
   * Accepts connections on `options.port`, or on another port instead. When it listens already, it moves: first the new port is
   * opened, then `confirm` may still refuse by throwing, and only then the old one closes (its sockets with 1001), in the
   * background. When anything fails, everything is as before.
   * @throws PortInUseError, PortForbiddenError, Node's error when the address can't be bound, what `confirm` throws
   */
  listen(port?: number, confirm?: () => Promise<void>): Promise<{ host: string; port: number }>;
  /** Replaces `options.allowedHosts` at once. @throws ServerConfigError */
  allowHosts(allowedHosts: readonly string[]): void;
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
  readonly #listener: ListenerParts;
  readonly #planes: readonly DataPlane[];
  readonly #apiKey: ApiKeyGuard;
  readonly #endRotation: () => void;
  #policy: GuardPolicy;
  #allowedHosts: readonly string[];
  #open: OpenPort | undefined;
  readonly #leaving = new Set<Promise<void>>();
  #closed = false;

  constructor(parts: ServerParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? DEFAULT_LIMITS;
    const { options, clock, log } = parts;
    this.#address = bindAddress(options.host);
    this.#allowedHosts = checkedHosts(options.allowedHosts);
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
    const upgrade = upgradeListener({ ...shared, serve });
    this.#listener = { address: this.#address, limits: this.#limits, clock, log, serve, upgrade };
  }

  async listen(
    port = this.#parts.options.port,
    confirm?: () => Promise<void>,
  ): Promise<{ host: string; port: number }> {
    const opened = await openPort(this.#listener, port);
    try {
      await confirm?.();
      if (this.#closed) throw new Error('the server is closed');
    } catch (error) {
      await opened.close(Promise.resolve());
      throw error;
    }
    const former = this.#open;
    this.#open = opened;
    this.#policy = this.#policyFor(opened.port);
    if (former) this.#leave(former);
    return { host: opened.address, port: opened.port };
  }

  allowHosts(allowedHosts: readonly string[]): void {
    this.#allowedHosts = checkedHosts(allowedHosts);
    this.#policy = this.#policyFor(this.#open?.port ?? this.#parts.options.port);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#endRotation();
    const closing = Promise.all(this.#mounts.flatMap((mount) => (mount.close ? [mount.close()] : [])));
    await Promise.all([this.#open?.close(closing) ?? closing, ...this.#leaving]);
  }

  /** Lets go of a port that another one has taken the place of. */
  #leave(port: OpenPort): void {
    const released = Promise.all(this.#planes.map((plane) => plane.release('the connector moved to another port')));
    const left = port.close(released).finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  agents(): readonly AgentFacts[] {
    return this.#planes.flatMap((plane) => plane.agents());
  }

  get refusedKeys(): RefusedKeys | undefined {
    return this.#apiKey.refused;
  }

  #policyFor(port: number): GuardPolicy {
    return guardPolicy(this.#address, port, this.#allowedHosts, this.#parts.options.allowedOrigins);
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

function checkedHosts(allowedHosts: readonly string[]): readonly string[] {
  if (allowedHosts.every(isHostEntry)) return allowedHosts;
  throw new ServerConfigError('server.allowedHosts', 'holds an entry that is no host name');
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
