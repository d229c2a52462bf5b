import { createServer, type AddressInfo, type Server } from 'node:net';

/** Somebody else's program on a port of this machine. */
export class Squatter {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<Squatter> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Squatter(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async leave(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }
}
