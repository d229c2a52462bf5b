import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A wire between a client and a server that a test can freeze, slice or cut. Nobody is told when it goes silent. */
export class CutProxy {
  /** Bytes that pass in one piece toward the client; small ones tear characters apart. */
  slice = Number.POSITIVE_INFINITY;
  /** While set, what the server sends is held; the client's bytes still reach it. */
  muteServer = false;
  /** Once the client has sent this, {@link muteServer} is set. */
  muteOn: string | undefined;
  readonly #server: Server;
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param target port of the server; a function where it is known only once somebody connects */
  static async start(target: number | (() => number)): Promise<CutProxy> {
    const server = createServer();
    const proxy = new CutProxy(server);
    server.on('connection', (client) => proxy.#join(client, typeof target === 'number' ? target : target()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#pairs.size;
  }

  /** From now on nothing passes on the connections that stand, and none ends; new ones work. */
  freeze(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
    this.#pairs.clear();
  }

  /** Ends every connection. */
  cut(): void {
    this.#pairs.clear();
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, target: number): void {
    const server = connect(target, '127.0.0.1');
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    const end = (): void => {
      if (!this.#pairs.delete(pair)) return;
      client.destroy();
      server.destroy();
    };
    for (const socket of pair) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (data) => {
      if (this.muteOn !== undefined && data.includes(this.muteOn)) this.muteServer = true;
      if (this.#pairs.has(pair)) server.write(data);
    });
    server.on('data', (data) => {
      if (!this.#pairs.has(pair) || this.muteServer) return;
      void this.#pass(data, client, server);
    });
  }

  /** Piece by piece, each in a turn of its own, so that the other side reads them apart. */
  async #pass(data: Buffer, to: Socket, from: Socket): Promise<void> {
    if (!Number.isFinite(this.slice)) {
      to.write(data);
      return;
    }
    from.pause();
    for (let at = 0; at < data.length; at += this.slice) {
      to.write(data.subarray(at, at + this.slice));
      await new Promise((resolve) => setImmediate(resolve));
    }
    from.resume();
  }
}
