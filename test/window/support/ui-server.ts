import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { SUBSCRIBE, type BridgeRequest, type CommandRefusal, type Snapshot } from '../../../src/bridge/index.js';
import { CSP } from './page-server.js';

/** A host as a browser sees it below `/ui/`: the page, sessions by one-time tokens, and the bridge on a WebSocket. */
export class UiServer {
  readonly #folder: string;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #sockets = new WebSocketServer({ noServer: true });
  readonly #open = new Set<WebSocket>();
  /** Links that still work. */
  readonly tokens = new Set<string>();
  readonly requests: BridgeRequest[] = [];
  #session = false;
  #reachable = true;
  #silent = false;
  /** Knocked while nobody answered. */
  readonly #unanswered = new Set<Duplex>();

  private constructor(
    folder: string,
    private snapshot: Snapshot,
    private readonly refusals: Readonly<Record<string, CommandRefusal>>,
  ) {
    this.#folder = folder;
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.#silent) {
        this.#unanswered.add(socket);
        return;
      }
      if (!this.#session || !this.#reachable) {
        socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (ws) => this.#connected(ws));
    });
  }

  static async start(
    folder: string,
    snapshot: Snapshot,
    refusals: Readonly<Record<string, CommandRefusal>> = {},
  ): Promise<UiServer> {
    const server = new UiServer(folder, snapshot, refusals);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/ui/`;
  }

  /** Everybody who has the window open gets it. */
  push(snapshot: Snapshot): void {
    this.snapshot = snapshot;
    for (const ws of this.#open) ws.send(JSON.stringify({ event: 'snapshot', snapshot }));
  }

  /** The host goes away, or is back. */
  setReachable(reachable: boolean): void {
    this.#reachable = reachable;
    if (!reachable) for (const ws of this.#open) ws.terminate();
  }

  /** The host stands still, or what lies between is gone: nothing is answered, and nothing is closed. */
  setSilent(silent: boolean): void {
    this.#silent = silent;
  }

  endSession(): void {
    this.#session = false;
    for (const ws of this.#open) ws.close(1008);
  }

  async close(): Promise<void> {
    for (const ws of this.#open) ws.terminate();
    for (const socket of this.#unanswered) socket.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => void this.#server.close(() => resolve()));
  }

  #connected(ws: WebSocket): void {
    this.#open.add(ws);
    ws.on('close', () => this.#open.delete(ws));
    ws.on('message', (data: Buffer) => {
      if (this.#silent) return;
      const request = JSON.parse(data.toString()) as BridgeRequest;
      const { id, command } = request;
      const refusal = this.refusals[command];
      if (command === SUBSCRIBE) {
        ws.send(JSON.stringify({ id, result: {} }));
        ws.send(JSON.stringify({ event: 'snapshot', snapshot: this.snapshot }));
        return;
      }
      this.requests.push(request);
      ws.send(JSON.stringify(refusal === undefined ? { id, result: {} } : { id, error: refusal }));
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/^\/ui\//, '');
    if (!this.#reachable) {
      request.socket.destroy();
      return;
    }
    if (path === 'session') {
      await this.#answerSession(request, response);
      return;
    }
    try {
      const content = await readFile(join(this.#folder, path === '' ? 'index.html' : path));
      const type = path === '' ? 'text/html' : path.endsWith('.css') ? 'text/css' : 'text/javascript';
      response.writeHead(200, { 'content-type': type, 'content-security-policy': CSP }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  }

  async #answerSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { token } = JSON.parse(Buffer.concat(chunks).toString()) as { token: string };
      const isValid = this.tokens.delete(token);
      this.#session ||= isValid;
      response.writeHead(isValid ? 200 : 401);
    }
    response.end(JSON.stringify({ session: this.#session }));
  }
}
