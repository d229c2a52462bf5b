import { createServer, type IncomingMessage } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../src/base/clock.js';
import type { ProxyServer } from '../../src/base/proxy/proxy-server.js';
import { WayOut, type WayOutOptions } from '../../src/base/proxy/way-out.js';

/** Where hosts are that only the proxy knows: `telegram.test:443` → a port of this machine. */
type Hosts = Readonly<Record<string, number>>;

export interface TestProxyOptions {
  readonly hosts?: Hosts;
  /** `user:password` that it wants. */
  readonly credentials?: string;
}

const RELAYED = Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]);

/** A real little proxy on loopback. It sends every connection on to this machine, and remembers where it was to go. */
export class TestProxy {
  /** Where each connection was to go: `telegram.test:443`. */
  readonly asked: string[] = [];
  /** An HTTP status, or for SOCKS any number, with which every connection is refused. */
  refuses: number | undefined;
  readonly #hosts: Hosts;
  readonly #credentials: string | undefined;
  readonly #kind: 'http' | 'socks5';
  readonly #sockets = new Set<Socket>();
  #server: Server;
  #port = 0;

  private constructor(kind: 'http' | 'socks5', options: TestProxyOptions) {
    this.#kind = kind;
    this.#hosts = options.hosts ?? {};
    this.#credentials = options.credentials;
    this.#server = this.#newServer();
  }

  static async start(kind: 'http' | 'socks5' = 'http', options: TestProxyOptions = {}): Promise<TestProxy> {
    const proxy = new TestProxy(kind, options);
    await proxy.resume();
    return proxy;
  }

  get server(): ProxyServer {
    return { kind: this.#kind, host: '127.0.0.1', port: this.#port };
  }

  get address(): string {
    return `127.0.0.1:${String(this.#port)}`;
  }

  /** Connections that it holds open, from clients. */
  get open(): number {
    return this.#sockets.size;
  }

  /** A way out that asks a system which names this proxy for every host, of this machine too. */
  wayOut(clock: Clock, options: Partial<WayOutOptions> = {}): WayOut {
    const word = this.#kind === 'http' ? 'PROXY' : 'SOCKS5';
    const find = async (): Promise<string> => `${word} ${this.address}`;
    return new WayOut({ clock, choice: 'system', find, isLocal: () => false, ...options });
  }

  /** Listens again, at the same address. */
  async resume(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Takes no connection any more, and cuts those that it has. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = this.#newServer();
  }

  #newServer(): Server {
    const server =
      this.#kind === 'http' ? createServer((_, response) => response.writeHead(405).end()) : createTcpServer();
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
      if (this.#kind === 'socks5') this.#greet(socket);
    });
    server.on('connect', (request: IncomingMessage, socket: Duplex) => this.#connect(request, socket));
    return server;
  }

  #connect({ url = '', headers }: IncomingMessage, client: Duplex): void {
    this.asked.push(url);
    const wanted = this.#credentials && `Basic ${Buffer.from(this.#credentials).toString('base64')}`;
    const status = wanted !== undefined && headers['proxy-authorization'] !== wanted ? 407 : this.refuses;
    if (status === undefined) this.#relay(client, url, 'HTTP/1.1 200 Connection established\r\n\r\n');
    else client.end(`HTTP/1.1 ${String(status)} No\r\nContent-Length: 2\r\n\r\nno`);
  }

  /** RFC 1928 and 1929, each message in one piece. */
  #greet(client: Socket): void {
    const method = this.#credentials === undefined ? 0 : 2;
    client.once('data', (greeting: Buffer) => {
      if (!greeting.subarray(2).includes(method)) {
        client.end(Buffer.from([5, 0xff]));
        return;
      }
      client.write(Buffer.from([5, method]));
      if (method === 0) this.#takeOrder(client);
      else client.once('data', (words: Buffer) => this.#checkWords(client, words));
    });
  }

  #checkWords(client: Socket, words: Buffer): void {
    const userEnd = 2 + (words[1] ?? 0);
    const given = `${words.toString('utf8', 2, userEnd)}:${words.toString('utf8', userEnd + 1)}`;
    client.write(Buffer.from([1, given === this.#credentials ? 0 : 1]));
    if (given === this.#credentials) this.#takeOrder(client);
  }

  #takeOrder(client: Socket): void {
    client.once('data', (order: Buffer) => {
      const isName = order[3] === 3;
      const end = isName ? 5 + (order[4] ?? 0) : 8;
      const host = isName ? order.toString('utf8', 5, end) : [...order.subarray(4, 8)].join('.');
      const to = `${host}:${String(order.readUInt16BE(end))}`;
      this.asked.push(to);
      if (this.refuses === undefined) this.#relay(client, to, RELAYED);
      else client.end(Buffer.from([5, this.refuses, 0, 1, 0, 0, 0, 0, 0, 0]));
    });
  }

  #relay(client: Duplex, to: string, welcome: string | Buffer): void {
    const port = this.#hosts[to] ?? Number(to.split(':').at(-1));
    const upstream = connect(port, '127.0.0.1', () => {
      client.write(welcome);
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy()).once('close', () => client.destroy());
    client.once('close', () => upstream.destroy());
  }
}
