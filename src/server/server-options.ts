/** The `server` keys of the configuration file, and the one `files` key the transfer plane needs. */
export interface ServerOptions {
  /** A loopback address to listen on: within 127.0.0.0/8, `::1`, or `localhost` (which means 127.0.0.1). */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Further `Host` values to accept, `name` (with the listening port) or `name:port`: how a container reaches this machine. */
  readonly allowedHosts: readonly string[];
  /** `Origin` values to accept; agents are no browsers, so nobody by default. */
  readonly allowedOrigins: readonly string[];
  /** Largest packet a data plane may send, bytes. Beyond it the socket is closed with 1009. */
  readonly maxPacketBytes: number;
  /** How long a socket may stay without an accepted hello, ms. */
  readonly helloTimeoutMs: number;
  /** Time between two WebSocket-level pings, ms. */
  readonly pingIntervalMs: number;
  /** `files.maxUploadBytes`. */
  readonly maxUploadBytes: number;
}

/** Bounds that nobody needs to configure; tests shorten them. */
export interface ServerLimits {
  /** Complete request headers must have arrived within this time, ms. */
  readonly headersTimeoutMs: number;
  /** A whole request with its body, ms. */
  readonly requestTimeoutMs: number;
  /** No byte moved on a plain HTTP connection, ms. */
  readonly idleTimeoutMs: number;
  /** An idle kept-alive connection is closed after this, ms. */
  readonly keepAliveTimeoutMs: number;
  /** How often the two request timeouts are looked at, ms. */
  readonly timeoutCheckMs: number;
  /** All header bytes of one request. */
  readonly maxHeaderBytes: number;
  /** Connections of all kinds at once. */
  readonly maxConnections: number;
  readonly maxConcurrentUploads: number;
  /** How long the rest of a refused request is read away, so that its sender gets to see the answer, ms. */
  readonly lingerMs: number;
  readonly dataPlane: DataPlaneLimits;
  /** Requests in flight get this long to finish at close, ms. */
  readonly drainMs: number;
  /** And sockets this long to say goodbye, ms. */
  readonly closeMs: number;
}

export interface DataPlaneLimits {
  /** Packets before an accepted hello that are answered before the socket is closed (1008). */
  readonly maxPacketsBeforeHello: number;
  /** Rejected hellos in a row before the socket is closed (1008). */
  readonly maxFailedHellos: number;
  /** WebSocket pings without a sign of life before the socket is cut. */
  readonly maxMissedPings: number;
  /** Unread output above which nothing new is offered and nothing more is read from this peer, bytes. */
  readonly softBufferBytes: number;
  /** Unread output at which the socket is cut, bytes. */
  readonly hardBufferBytes: number;
  /** Requests one socket may have running; above it the socket is not read until half are done. */
  readonly maxInFlight: number;
  /** The same, counted in the bytes of their packets. */
  readonly maxInFlightBytes: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  // Loopback peers send their headers in one go; a minute would be a gift to a slow-header flood.
  headersTimeoutMs: 10_000,
  // 100 MB at 120 KB/s, the slowest disk worth serving; a stalled body is cut much earlier by the idle timeout.
  requestTimeoutMs: 15 * 60_000,
  idleTimeoutMs: 60_000,
  keepAliveTimeoutMs: 30_000,
  timeoutCheckMs: 2_000,
  maxHeaderBytes: 16 * 1024,
  // Five connectors, a few agents, their downloads: tens. The rest is room for bursts.
  maxConnections: 256,
  // Each one holds a file open; an agent sends the files of one answer one after the other.
  maxConcurrentUploads: 8,
  lingerMs: 5_000,
  dataPlane: {
    maxPacketsBeforeHello: 10,
    maxFailedHellos: 3,
    maxMissedPings: 2,
    // Hundreds of ordinary packets: a peer this far behind gains nothing from more.
    softBufferBytes: 1024 * 1024,
    // Only answers to requests already running can add to the soft mark; their sum stays far below this.
    hardBufferBytes: 16 * 1024 * 1024,
    // A burst of channel.open after an agent's restart is one per channel; ten times what one person has.
    maxInFlight: 1000,
    maxInFlightBytes: 32 * 1024 * 1024,
  },
  // Together below the five seconds within which the whole program must have ended.
  drainMs: 1_500,
  closeMs: 1_000,
};
