import { WebSocket, type RawData } from 'ws';
import type { Clock } from '../../base/clock.js';
import { conforms } from '../../base/conforms.js';
import { exceedsDepth } from '../../base/json-depth.js';
import type { Logger } from '../../base/logger.js';
import { Paced } from '../../base/paced.js';
import { parseJson } from '../../base/parse-json.js';
import { BridgeRequest, SNAPSHOT_INTERVAL_MS, SOCKET_ONLY, SUBSCRIBE, type BridgeMessage } from '../../bridge/index.js';
import { Heartbeat } from '../data-plane/heartbeat.js';
import { CloseCode } from '../http/websocket.js';
import type { UiPort } from './ui-port.js';

/** Pings keep a half-dead browser from being kept up to date for ever, milliseconds. */
const PING_INTERVAL_MS = 25_000;
const MAX_MISSED_PINGS = 2;
/** Commands of one window that run at the same time; a person clicks one after the other. */
const MAX_IN_FLIGHT = 32;
/** Answers that a window did not read, bytes; what it asks for beyond is not worth having. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Parameters of commands nest once or twice. */
const MAX_DEPTH = 16;

/** One window in a browser: commands in, answers and snapshots out (`bridge/bridge.ts`). */
export class UiConnection {
  /** Resolves when the socket is gone. */
  readonly closed: Promise<void>;
  readonly #heartbeat: Heartbeat;
  readonly #snapshots: Paced;
  #subscribed = false;
  #inFlight = 0;

  constructor(
    private readonly parts: {
      readonly ws: WebSocket;
      readonly port: UiPort;
      readonly clock: Clock;
      readonly log: Logger;
    },
  ) {
    const { ws, port, clock, log } = parts;
    this.#heartbeat = new Heartbeat({
      clock,
      intervalMs: PING_INTERVAL_MS,
      maxMissed: MAX_MISSED_PINGS,
      ping: () => ws.ping(),
      cut: () => ws.terminate(),
      deaf: () => false,
    });
    this.#snapshots = new Paced(clock, SNAPSHOT_INTERVAL_MS, () => this.#sendSnapshot());
    const unsubscribe = port.onChange(() => {
      if (this.#subscribed) this.#snapshots.request();
    });
    this.closed = new Promise((resolve) => {
      ws.on('close', (code) => {
        this.#heartbeat.stop();
        this.#snapshots.stop();
        unsubscribe();
        log.info({ code }, 'a window in a browser is gone');
        resolve();
      });
    });
    ws.on('pong', () => this.#heartbeat.alive());
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary));
    // What breaks the WebSocket protocol or the size limit: ws closes the socket with the matching code.
    ws.on('error', () => undefined);
  }

  close(code: number, reason: string): void {
    this.parts.ws.close(code, reason);
  }

  terminate(): void {
    this.parts.ws.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    // Whose session is over is not obeyed until their window has answered the close.
    if (this.parts.ws.readyState !== WebSocket.OPEN) return;
    this.#heartbeat.alive();
    if (isBinary || !Buffer.isBuffer(data)) {
      this.close(CloseCode.notText, 'requests are text');
      return;
    }
    const request = parse(data.toString('utf8'));
    if (!conforms(BridgeRequest, request)) {
      this.#send({ id: null, error: { code: 'invalid_request', message: 'expected one request as a JSON object' } });
      this.close(CloseCode.policyViolation, 'not a request');
      return;
    }
    void this.#answer(request);
  }

  async #answer({ id, command, params }: BridgeRequest): Promise<void> {
    if (command === SUBSCRIBE) {
      this.#subscribed = true;
      this.#send({ id, result: {} });
      this.#snapshots.request();
      return;
    }
    if (SOCKET_ONLY.some((name) => name === command)) {
      this.#send({ id, error: { code: 'not_for_windows', message: 'only the command line may ask this' } });
      return;
    }
    if (this.#inFlight >= MAX_IN_FLIGHT) {
      this.#send({ id, error: { code: 'busy', message: 'too many commands at once' } });
      return;
    }
    this.#inFlight += 1;
    const answer = await this.parts.port.answer(command, params ?? {});
    this.#inFlight -= 1;
    this.#send({ id, ...answer });
  }

  /** Resolves when the operating system took it: a slow browser gets the newest next, not all that lay between. */
  #sendSnapshot(): Promise<void> {
    return new Promise((resolve) => {
      this.#send({ event: 'snapshot', snapshot: this.parts.port.snapshot() }, resolve);
    });
  }

  #send(message: BridgeMessage, sent?: () => void): void {
    const { ws } = this.parts;
    if (ws.readyState !== WebSocket.OPEN) {
      sent?.();
      return;
    }
    ws.send(JSON.stringify(message), sent === undefined ? undefined : () => sent());
    if (ws.bufferedAmount > MAX_UNREAD_BYTES) ws.terminate();
  }
}

function parse(text: string): unknown {
  return exceedsDepth(text, MAX_DEPTH) ? undefined : parseJson(text);
}
