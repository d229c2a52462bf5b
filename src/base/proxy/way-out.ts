import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { systemClock, type Clock } from '../clock.js';
import { bareHost, isLoopbackHost } from '../loopback.js';
import { ProxyError } from './proxy-error.js';
import {
  addressOf,
  readPac,
  type Hop,
  type ProxyCredentials,
  type ProxyKind,
  type ProxyServer,
} from './proxy-server.js';
import { openTunnel, type Destination } from './tunnel.js';

/** Says how a URL is reached, as a proxy auto-configuration does: `PROXY a:8080; DIRECT`. A rejection means straight. */
export type ProxyFinder = (url: string) => Promise<string>;

/** Which way connections leave this machine, as the newest one went. */
export interface Way {
  /** Whose word it is. */
  readonly source: 'system' | 'config';
  /** Undefined: straight. */
  readonly proxy: { readonly kind: ProxyKind; readonly address: string } | undefined;
}

export interface WayOutOptions {
  readonly clock: Clock;
  /** `system` asks `find` for each connection anew; `none` goes straight; a server is always taken. */
  readonly choice: 'system' | 'none' | ProxyServer;
  /** Without one the system names no proxy. */
  readonly find?: ProxyFinder | undefined;
  /** By the proxy's {@link addressOf}. */
  readonly credentials?: ReadonlyMap<string, ProxyCredentials> | undefined;
  /** Called after {@link WayOut.way} became another. */
  readonly changed?: (() => void) | undefined;
  /** Hosts that are reached straight, whatever anybody says; this machine's own. */
  readonly isLocal?: (host: string) => boolean;
}

/** Where services listen whose URL names no port. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
  'xmpp:': 5222,
  'xmpps:': 5223,
};
/** Of a host's addresses, this many are tried through a proxy that does not reach the first. */
const MAX_ADDRESSES = 4;

/**
 * The way out of this machine for one network's connections: straight, or through the proxy that the system or the configuration
 * names. Every connection to a network is made here, so that none goes past a proxy; those to this machine itself always do.
 */
export class WayOut {
  readonly #options: WayOutOptions;
  readonly #isLocal: (host: string) => boolean;
  #way: Way | undefined;

  constructor(options: WayOutOptions) {
    const { choice } = options;
    this.#options = options;
    this.#isLocal = options.isLocal ?? isLoopbackHost;
    if (choice !== 'system') this.#way = { source: 'config', proxy: choice === 'none' ? undefined : shown(choice) };
    else if (options.find === undefined) this.#way = { source: 'system', proxy: undefined };
  }

  /** Undefined while nothing was asked yet. */
  get way(): Way | undefined {
    return this.#way;
  }

  /** Asks which way the next connection would go, so that it can be shown before there is one. */
  async look(url: URL): Promise<void> {
    if (this.isStraight(url)) return;
    const [first] = await this.#hopsTo(url);
    this.#went(first === 'direct' ? undefined : first);
  }

  /**
   * An agent for HTTP and for what begins as HTTP. A request through it fails with a {@link ProxyError} where no proxy lets it
   * through. A `lookup` of the request is asked through a proxy too, and the proxy is sent to an address that it allowed.
   * @param options as of Node's own agents
   */
  agent(secure: boolean, options: https.AgentOptions = {}): http.Agent {
    const agent = secure ? new https.Agent(options) : new http.Agent(options);
    const straight = agent.createConnection.bind(agent);
    agent.createConnection = (target, callback) => {
      const { host, port, lookup } = target;
      const url = new URL(`${secure ? 'https' : 'http'}://${inUrl(host ?? 'localhost')}:${String(port ?? '')}`);
      if (this.isStraight(url)) return straight(target);
      const connection = async (): Promise<Duplex> => {
        const tunnel = await this.#enter(url, lookup);
        if (tunnel !== undefined && !secure) return tunnel;
        const socket = straight(tunnel === undefined ? target : Object.assign({}, target, { socket: tunnel }));
        if (!socket) throw new Error('there is no socket');
        return socket;
      };
      connection().then(
        (socket) => callback?.(null, socket),
        (error: unknown) => (callback as ((reason: unknown) => void) | undefined)?.(error),
      );
      return undefined;
    };
    return agent;
  }

  /**
   * A connection for what speaks no HTTP, through a proxy.
   * @returns undefined where the way is straight: the caller connects as it would without us
   * @throws ProxyError
   */
  async tunnel(url: URL): Promise<Socket | undefined> {
    return this.isStraight(url) ? undefined : this.#enter(url);
  }

  /** Whether a host is reached straight without asking anybody. */
  isStraight({ hostname }: URL): boolean {
    const { choice, find } = this.#options;
    return choice === 'none' || (choice === 'system' && find === undefined) || this.#isLocal(hostname);
  }

  async #hopsTo(url: URL): Promise<readonly Hop[]> {
    const { choice, find } = this.#options;
    if (choice !== 'system') return choice === 'none' ? ['direct'] : [choice];
    return readPac((await find?.(url.href).catch(() => '')) ?? '');
  }

  /** Takes the ways in their order: the next one where a proxy is not there, and nothing after one that refused. */
  async #enter(url: URL, lookup?: LookupFunction): Promise<Socket | undefined> {
    let failure: ProxyError | undefined;
    for (const hop of await this.#hopsTo(url)) {
      if (hop === 'direct') {
        this.#went(undefined);
        return undefined;
      }
      try {
        const tunnel = await this.#through(hop, url, lookup);
        this.#went(hop);
        return tunnel;
      } catch (error) {
        if (!(error instanceof ProxyError)) throw error;
        failure ??= error;
        if (error.code === 'proxy_refused') break;
      }
    }
    this.#went(failure?.server);
    throw failure ?? new Error('there is no way');
  }

  async #through(server: ProxyServer, url: URL, lookup: LookupFunction | undefined): Promise<Socket> {
    const { clock, credentials } = this.#options;
    let failure: unknown;
    for (const to of await destinationsOf(url, lookup)) {
      try {
        return await openTunnel(clock, server, to, credentials?.get(addressOf(server)));
      } catch (error) {
        failure = error;
        if (error instanceof ProxyError && error.code === 'proxy_unreachable') break;
      }
    }
    throw failure;
  }

  #went(server: ProxyServer | undefined): void {
    const way: Way = {
      source: this.#options.choice === 'system' ? 'system' : 'config',
      proxy: server && shown(server),
    };
    if (this.#way !== undefined && JSON.stringify(way) === JSON.stringify(this.#way)) return;
    this.#way = way;
    this.#options.changed?.();
  }
}

/** For tests and for parts that never leave this machine. */
export const STRAIGHT = new WayOut({ clock: systemClock, choice: 'none' });

/** The port of a URL, or where its scheme's services listen. */
export function portOf({ protocol, port }: URL): number {
  return port === '' ? (DEFAULT_PORTS[protocol] ?? 0) : Number(port);
}

/**
 * Calls `fn` once a socket that an agent gave stands, TLS and all: from then on what is sent may arrive. One through a proxy
 * without TLS stands already.
 */
export function onceStanding(socket: Socket, secure: boolean, fn: () => void): void {
  if (!secure && !socket.connecting) fn();
  else socket.once(secure ? 'secureConnect' : 'connect', fn);
}

/** The addresses that a lookup allows, where there is one; else the name, which is the proxy's to resolve. */
async function destinationsOf(url: URL, lookup: LookupFunction | undefined): Promise<readonly Destination[]> {
  const host = bareHost(url.hostname);
  const port = portOf(url);
  if (lookup === undefined || isIP(host) !== 0) return [{ host, port }];
  const addresses = await new Promise<readonly string[]>((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
  return addresses.slice(0, MAX_ADDRESSES).map((address) => ({ host: address, port }));
}

function shown(server: ProxyServer): NonNullable<Way['proxy']> {
  return { kind: server.kind, address: addressOf(server) };
}

function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
