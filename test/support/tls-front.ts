import { connect, type AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { TestCertificate } from './certificate.js';

/** TLS before a plain server of this machine, under a name of its own: as a network out there looks. */
export interface TlsFront {
  readonly port: number;
  close(): Promise<void>;
}

/** @param behind port of the plain server */
export async function startTlsFront(certificate: TestCertificate, behind: number): Promise<TlsFront> {
  const server = createServer(certificate, (client) => {
    const upstream = connect(behind, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('error', () => undefined).once('close', () => other.destroy());
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
