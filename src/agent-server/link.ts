import { WebSocket, type RawData } from 'ws';
import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import type { Clock, Timer } from '../base/clock.js';
import { TransportError } from '../base/errors.js';
import { exceedsDepth } from '../base/json-depth.js';
import type { Logger } from '../base/logger.js';
import { parseJson } from '../base/parse-json.js';
import { isJsonObject, type JsonObject } from '../e2a/index.js';
import type { LinkCode, LinkState } from './agent-server.js';

/** The largest frame either side takes, bytes: the server closes with 1009 beyond it. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024;
/** No frame of an agent nests deeper than a few dozen; what does would exhaust the stack of whoever walks through it. */
const MAX_FRAME_DEPTH = 200;
/** How long a connection may take to be made, milliseconds. */
const HANDSHAKE_MS = 10_000;
/** How long the server's `connection.ack` is waited for before the connection is used without it, milliseconds. */
const ACK_WAIT_MS = 5_000;
/** How often the server is pinged, milliseconds, as its stock client does. */
const PING_INTERVAL_MS = 20_000;
/**
 * How long the server may say nothing at all, to pings neither, milliseconds. Long, because a busy server answers late, and
 * because a needless reconnect cancels everything it is working on.
 */
const PONG_TIMEOUT_MS = 300_000;
/**
 * Without any sign of life for this long the connection is no longer called one, though it is kept for {@link PONG_TIMEOUT_MS}: nothing is
 * handed to a server that may be dead. With the interval of the pings it is 150 s at most; milliseconds.
 */
const SILENT_AFTER_MS = 130_000;
/** Waits before a lost connection is made again. */
const RECONNECT: BackoffPolicy = { initialMs: 500, maxMs: 30_000 };
/** A connection that held this long starts the back-off anew, milliseconds. */
const STABLE_MS = 10_000;

const CLOSED_TOO_LARGE = 1009;
const SILENT: LinkCode = 'agent_server_no_answer';
/** What an ack says of a server that takes no requests. */
const NOT_READY: readonly unknown[] = ['draining', 'failed'];

export interface LinkEvents {
  /** Requests may be sent from now on. */
  connected(): void;
  /** One frame that is no event of the connection itself. */
  frame(frame: JsonObject, bytes: number): void;
  /** The connection is gone; it is made again by itself. */
  lost(code: LinkCode): void;
  /** The server says nothing any more. The connection is kept; {@link connected} tells when it speaks again. */
  silent(): void;
  changed(): void;
}

/** The one WebSocket to the AgentServer: made when it is wanted, kept, and made again with back-off when it is lost. */
export class Link {
  readonly #url: string;
  readonly #origin: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #events: LinkEvents;
  #state: LinkState = { status: 'unused' };
  #socket: WebSocket | undefined;
  #timers: Timer[] = [];
  #retry: Timer | undefined;
  #failures = 0;

  constructor(
    url: string,
    { clock, log, random, events }: { clock: Clock; log: Logger; random: () => number; events: LinkEvents },
  ) {
    this.#url = url;
    const { protocol, host } = new URL(url);
    // As the stock client: the origin of the address itself. A server with an origin check admits no other.
    this.#origin = `${protocol === 'wss:' ? 'https' : 'http'}://${host}`;
    this.#clock = clock;
    this.#log = log;
    this.#random = random;
    this.#events = events;
  }

  get state(): LinkState {
    return this.#state;
  }

  get isConnected(): boolean {
    return this.#state.status === 'connected';
  }

  /** Wants the connection from now on. */
  open(): void {
    if (this.#state.status === 'unused') this.#connect();
  }

  /** Wants it no more. */
  close(): void {
    this.#retry?.cancel();
    this.#failures = 0;
    const socket = this.#detach();
    this.#become({ status: 'unused' });
    socket?.close(1001);
  }

  /** Does not wait for the next try. A connection that went silent is no try: it is kept, or given up, by its own time. */
  wake(): void {
    if (this.#state.status !== 'offline' || this.#socket) return;
    this.#failures = 0;
    this.#connect();
  }

  /**
   * Writes one request.
   * @throws TransportError with effect `none`: nothing was written
   */
  send(envelope: JsonObject): void {
    const text = JSON.stringify(envelope);
    if (Buffer.byteLength(text) > MAX_FRAME_BYTES) {
      throw new TransportError('agent_server_frame_too_large', 'the request is too large', { effect: 'none' });
    }
    if (!this.isConnected || this.#socket?.readyState !== WebSocket.OPEN) {
      throw new TransportError('agent_server_unreachable', 'the AgentServer is not connected', { effect: 'none' });
    }
    this.#socket.send(text);
  }

  #connect(): void {
    this.#retry?.cancel();
    this.#become({ status: 'connecting', since: this.#clock.now() });
    const socket = new WebSocket(this.#url, {
      origin: this.#origin,
      maxPayload: MAX_FRAME_BYTES,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    const mine = (): boolean => this.#socket === socket;
    let lastSign = this.#clock.monotonic();
    const alive = (): void => {
      lastSign = this.#clock.monotonic();
      if (mine()) this.#speaks();
    };
    let reason: LinkCode | undefined;
    socket.on('open', () => {
      if (!mine()) return;
      this.#after(ACK_WAIT_MS, () => {
        if (this.isConnected) return;
        this.#log.warn('the AgentServer sent no connection.ack; it is used without');
        this.#ready();
      });
      this.#every(PING_INTERVAL_MS, () => {
        const silentMs = this.#clock.monotonic() - lastSign;
        if (silentMs > PONG_TIMEOUT_MS) {
          reason = SILENT;
          socket.terminate();
          return;
        }
        if (silentMs > SILENT_AFTER_MS) this.#goSilent(PONG_TIMEOUT_MS - silentMs);
        socket.ping();
      });
    });
    socket.on('pong', alive);
    socket.on('unexpected-response', (request) => {
      request.destroy();
      if (mine()) this.#lose('agent_server_refused');
    });
    socket.on('message', (data, isBinary) => {
      alive();
      if (mine()) this.#receive(data, isBinary);
    });
    socket.on('error', (error) => {
      this.#log.debug({ code: 'code' in error ? error.code : undefined }, 'the connection to the AgentServer failed');
      if ('code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') {
        reason = 'agent_server_frame_too_large';
      }
    });
    socket.on('close', (code) => {
      if (!mine()) return;
      const otherwise = this.#state.status === 'connecting' ? 'agent_server_unreachable' : 'agent_server_closed';
      this.#lose(code === CLOSED_TOO_LARGE ? 'agent_server_frame_too_large' : (reason ?? otherwise));
    });
  }

  #receive(data: RawData, isBinary: boolean): void {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    const frame = isBinary ? undefined : parseObject(bytes.toString('utf8'));
    if (!frame) {
      this.#log.warn(
        { bytes: bytes.length },
        'the AgentServer sent a frame that is no JSON object, or nests too deeply',
      );
      return;
    }
    if (frame['type'] === 'event') this.#event(frame);
    else this.#events.frame(frame, bytes.length);
  }

  #event(frame: JsonObject): void {
    if (frame['event'] !== 'connection.ack') {
      this.#log.debug('an event of the AgentServer that means nothing here');
      return;
    }
    const payload = frame['payload'];
    const status = isJsonObject(payload) ? payload['status'] : undefined;
    if (!NOT_READY.includes(status)) {
      this.#ready();
      return;
    }
    // Closing a connection in use would cancel what the server is still finishing.
    if (this.#state.status !== 'connecting') return;
    const socket = this.#socket;
    // Not once the server has answered the close: one that hangs never does, and would count as connected by then.
    this.#lose('agent_server_not_ready');
    socket?.close(1000);
  }

  #ready(): void {
    if (this.#state.status !== 'connecting') return;
    this.#become({ status: 'connected', since: this.#clock.now() });
    this.#after(STABLE_MS, () => (this.#failures = 0));
    this.#events.connected();
  }

  /** @param leftMs until it is given up, milliseconds */
  #goSilent(leftMs: number): void {
    if (!this.isConnected) return;
    this.#log.warn({ code: SILENT }, 'the AgentServer says nothing any more');
    const now = this.#clock.now();
    this.#become({ status: 'offline', code: SILENT, since: now, retryAt: now + Math.max(0, leftMs) });
    this.#events.silent();
  }

  /** A connection that had gone silent is one again. */
  #speaks(): void {
    if (!this.#hasGoneSilent) return;
    this.#become({ status: 'connected', since: this.#clock.now() });
    this.#events.connected();
  }

  get #hasGoneSilent(): boolean {
    return this.#state.status === 'offline' && this.#socket !== undefined;
  }

  #lose(code: LinkCode): void {
    const wasConnected = this.isConnected || this.#hasGoneSilent;
    this.#detach();
    this.#failures += 1;
    const wait = backoffDelay(RECONNECT, this.#failures, this.#random);
    this.#retry = this.#clock.after(wait, () => this.#connect());
    this.#become({ status: 'offline', code, since: this.#clock.now(), retryAt: this.#clock.now() + wait });
    // Once per outage: the tries that follow say nothing new.
    if (wasConnected || this.#failures === 1) this.#log.warn({ code }, 'no connection to the AgentServer');
    if (wasConnected) this.#events.lost(code);
  }

  #detach(): WebSocket | undefined {
    const socket = this.#socket;
    this.#socket = undefined;
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
    return socket;
  }

  #after(ms: number, fn: () => void): void {
    this.#timers.push(this.#clock.after(ms, fn));
  }

  #every(ms: number, fn: () => void): void {
    const socket = this.#socket;
    const step = (): void => {
      if (this.#socket !== socket) return;
      fn();
      timer = this.#clock.after(ms, step);
    };
    let timer = this.#clock.after(ms, step);
    this.#timers.push({ cancel: () => timer.cancel() });
  }

  #become(state: LinkState): void {
    this.#state = state;
    this.#events.changed();
  }
}

function parseObject(text: string): JsonObject | undefined {
  if (exceedsDepth(text, MAX_FRAME_DEPTH)) return undefined;
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}
