import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { encodeAgentResponseForWire, encodeJsonParseErrorWire, type JsonObject } from '../../../src/e2a/index.js';
import { Turn } from './turn.js';

export interface SimulatorOptions {
  /** Refuses connections without the server's own origin, as with its origin check on. */
  readonly checksOrigin?: boolean;
  /** Takes this port again, as a server that comes back does. */
  readonly port?: number;
}

/** What a real server takes in one message, bytes. */
const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** Starts a server on a free loopback port. */
export async function startAgentServer(options: SimulatorOptions = {}): Promise<AgentServerSimulator> {
  const simulator = new AgentServerSimulator(options);
  await simulator.listen(options.port ?? 0);
  return simulator;
}

export class AgentServerSimulator {
  /** Every request of every connection, in order. */
  readonly requests: JsonObject[] = [];
  /** Requests that were still at work when something cancelled them. */
  readonly cancelled: string[] = [];
  /** Origin headers of all connections ever made. */
  readonly origins: (string | undefined)[] = [];
  /** Files to be had by token, each once or more. */
  readonly downloads = new Map<string, Buffer>();
  /** Where files were asked for, without the token. */
  readonly downloadPaths: string[] = [];
  /** What the agent does with a `chat.send`. */
  onChat: (turn: Turn) => void = (turn) => turn.answer(`echo: ${turn.query}`);
  /** Whether interrupts are answered at all. */
  answersInterrupts = true;
  /** The first frame of a connection; null sends none. */
  ack: JsonObject | null = { type: 'event', event: 'connection.ack', payload: { status: 'ready' } };
  /** Reads nothing of a connection, as a server that hangs: not even a close is answered. */
  isDeaf = false;
  readonly #options: SimulatorOptions;
  readonly #turns = new Set<Turn>();
  #http: Server | undefined;
  #sockets: WebSocketServer | undefined;
  #newest: WebSocket | undefined;
  #port = 0;

  constructor(options: SimulatorOptions) {
    this.#options = options;
  }

  get url(): string {
    return `ws://127.0.0.1:${String(this.#port)}`;
  }

  get filesUrl(): string {
    return `http://127.0.0.1:${String(this.#port)}`;
  }

  /** Connections open now. */
  get connections(): number {
    return this.#sockets?.clients.size ?? 0;
  }

  /** Requests by method, oldest first. */
  of(method: string): JsonObject[] {
    return this.requests.filter((request) => request['method'] === method);
  }

  /** What was asked by `chat.send`, oldest first. */
  get queries(): string[] {
    return this.of('chat.send').map(({ params }) => String((params as JsonObject)['query']));
  }

  async listen(port = this.#port): Promise<void> {
    const http = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.filesUrl);
      this.downloadPaths.push(pathname);
      const bytes = this.downloads.get(searchParams.get('token') ?? '');
      response.writeHead(bytes ? 200 : 404).end(bytes);
    });
    const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES });
    http.on('upgrade', (request: IncomingMessage, socket, head) => {
      this.origins.push(request.headers.origin);
      if (this.#options.checksOrigin === true && request.headers.origin !== this.filesUrl) {
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
        return;
      }
      sockets.handleUpgrade(request, socket, head, (ws) => this.#welcome(ws));
    });
    await new Promise<void>((resolve, reject) => {
      http.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    this.#http = http;
    this.#sockets = sockets;
    this.#port = (http.address() as AddressInfo).port;
  }

  /** Ends every connection; the server goes on taking new ones. */
  drop(code = 1011): void {
    for (const socket of this.#sockets?.clients ?? []) socket.close(code);
  }

  /** Cuts every connection without a word, as a crash does. */
  cut(): void {
    for (const socket of this.#sockets?.clients ?? []) socket.terminate();
  }

  /** Reads nothing of the connections that stand, and so answers nothing, pings neither; new ones work. */
  freeze(): void {
    for (const socket of this.#sockets?.clients ?? []) socket.pause();
  }

  /** Reads again, what came meanwhile first. */
  thaw(): void {
    for (const socket of this.#sockets?.clients ?? []) socket.resume();
  }

  /** Sends a frame over the newest connection. */
  send(frame: JsonObject | string): void {
    this.#newest?.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  async close(): Promise<void> {
    this.cut();
    this.#http?.closeAllConnections();
    await new Promise<void>((resolve) => {
      if (this.#http) this.#http.close(() => resolve());
      else resolve();
    });
  }

  #welcome(socket: WebSocket): void {
    this.#newest = socket;
    socket.on('error', () => undefined);
    socket.on('close', () => this.#cancel(() => true));
    socket.on('message', (data) => this.#receive(socket, (data as Buffer).toString('utf8')));
    if (this.ack) socket.send(JSON.stringify(this.ack));
    if (this.isDeaf) socket.pause();
  }

  #receive(socket: WebSocket, text: string): void {
    const send = (frame: JsonObject): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
    };
    let request: unknown;
    try {
      request = JSON.parse(text);
    } catch {
      send({ ...encodeJsonParseErrorWire({ error: 'not JSON' }) });
      return;
    }
    if (typeof request !== 'object' || request === null || Array.isArray(request)) return;
    const envelope = request as JsonObject;
    this.requests.push(envelope);
    if (envelope['method'] === 'chat.send') this.#chat(envelope, send);
    else if (envelope['method'] === 'chat.interrupt') this.#interrupt(envelope, send);
    // Every other method is one that this server does not know: no reply at all.
  }

  #chat(request: JsonObject, send: (frame: JsonObject) => void): void {
    const turn: Turn = new Turn(
      request,
      (frame) => {
        if (frame['is_final'] === true) this.#turns.delete(turn);
        send(frame);
      },
      (frame) => this.send(frame),
    );
    this.#turns.add(turn);
    this.onChat(turn);
  }

  #interrupt(request: JsonObject, send: (frame: JsonObject) => void): void {
    this.#cancel((turn) => turn.sessionId === request['session_id']);
    if (!this.answersInterrupts) return;
    const payload = { event_type: 'chat.interrupt_result', intent: 'cancel', success: true, message: '任务已取消' };
    const response = { request_id: request['request_id'], channel_id: 'c', ok: true, payload };
    send({ ...encodeAgentResponseForWire({ response, response_id: String(request['request_id']) }) });
  }

  #cancel(isMeant: (turn: Turn) => boolean): void {
    for (const turn of [...this.#turns].filter(isMeant)) {
      turn.isCancelled = true;
      this.cancelled.push(turn.id);
      this.#turns.delete(turn);
    }
  }
}
