import { WebSocket, type ClientOptions } from 'ws';
import { Journal, within } from './deadline.js';
import { ask, isRecord, type Answer, type Ask } from './http-client.js';

/** A browser's side of the window: it keeps the cookie, sends the origin of its page, and speaks the bridge. */
export class UiBrowser {
  cookie: string | undefined;

  constructor(readonly url: string) {}

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** As a page of this server sends it. */
  get pageHeaders(): Record<string, string> {
    return { origin: this.origin, 'sec-fetch-site': 'same-origin', ...this.cookieHeader };
  }

  get cookieHeader(): Record<string, string> {
    return this.cookie === undefined ? {} : { cookie: this.cookie };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return ask(`${this.url}${path}`, { headers: { ...this.cookieHeader, ...headers } });
  }

  post(path: string, options: Ask = {}): Promise<Answer> {
    const headers = { ...this.pageHeaders, ...options.headers };
    return ask(`${this.url}${path}`, { ...options, method: 'POST', headers });
  }

  /** Opens a link as the page does: the token out of the fragment into a request's body; keeps the cookie. */
  async open(link: string): Promise<Answer> {
    const token = new URL(link, this.url).hash.replace('#token=', '');
    const answer = await this.redeem(token);
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set !== undefined) this.cookie = set.split(';', 1)[0];
    return answer;
  }

  redeem(token: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/ui/session', {
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token }),
    });
  }

  /** The bridge's socket. Rejects with the status of an upgrade that was refused. */
  async bridge(options: ClientOptions = {}): Promise<BridgeSocket> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/ui/bridge`, {
      headers: this.pageHeaders,
      ...options,
    });
    const bridge = new BridgeSocket(socket);
    await within(bridge.opened, 'the bridge to open');
    return bridge;
  }
}

export class BridgeRefused extends Error {
  override readonly name = 'BridgeRefused';
  constructor(readonly status: number) {
    super(`the upgrade was answered ${status}`);
  }
}

export class BridgeSocket {
  readonly received = new Journal<Record<string, unknown>>();
  readonly opened: Promise<void>;
  readonly closed: Promise<number>;
  #nextId = 1;

  constructor(readonly socket: WebSocket) {
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('unexpected-response', (_request, { statusCode }) => {
        reject(new BridgeRefused(statusCode ?? 0));
        socket.terminate();
      });
      socket.on('error', reject);
    });
    this.opened.catch(() => undefined);
    this.closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
    socket.on('message', (data: Buffer) => {
      const message: unknown = JSON.parse(data.toString('utf8'));
      if (isRecord(message)) this.received.push(message);
    });
  }

  async call(command: string, params?: unknown): Promise<Record<string, unknown>> {
    const id = this.#nextId;
    this.#nextId += 1;
    this.socket.send(JSON.stringify(params === undefined ? { id, command } : { id, command, params }));
    return this.received.next((message) => message['id'] === id, `an answer to ${command}`);
  }

  snapshots(): Record<string, unknown>[] {
    return this.received.entries.filter((message) => message['event'] === 'snapshot');
  }
}
