import { createServer } from 'node:net';
import { errorCode } from '../base/error-code.js';

/** Ports tried above the wanted one before any free one is taken. */
const TRY_ABOVE = 20;
const LAST_PORT = 65_535;

/** Why a port can't be listened on right now, as the system's code (`EADDRINUSE`); undefined when it can. */
export function portProblem(host: string, port: number): Promise<string | undefined> {
  return listenOnce(host, port).then(
    () => undefined,
    (error: unknown) => errorCode(error) ?? 'unknown',
  );
}

/** A port that is free right now, near a wanted one where possible; undefined when the system gives none. */
export async function freePortNear(host: string, wanted: number): Promise<number | undefined> {
  for (let port = wanted + 1; port <= Math.min(wanted + TRY_ABOVE, LAST_PORT); port += 1) {
    if ((await portProblem(host, port)) === undefined) return port;
  }
  return listenOnce(host, 0).catch(() => undefined);
}

function listenOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      server.close(() => resolve(bound));
    });
  });
}
