import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../http/refusal.js';

/**
 * Whether a request that changes something comes from our own page. Stricter than the guard before it: the page's origin must
 * be there (browsers send it with every POST and every WebSocket) and be the very one it talks to; an entry of
 * `server.allowedOrigins` lets nobody in here.
 * @returns why it does not, or undefined
 */
export function notOwnPage(request: IncomingMessage): Refusal | undefined {
  const { host, origin } = request.headers;
  if (host === undefined || origin?.toLowerCase() !== `http://${host.toLowerCase()}`) {
    return { status: 403, code: 'origin_not_allowed', message: 'only the page served here may ask this' };
  }
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') {
    return { status: 403, code: 'cross_site_request', message: 'only the page served here may ask this' };
  }
  return undefined;
}
