import { isLoopbackAddress } from '../../base/loopback.js';
import { ServerConfigError } from '../server-errors.js';

/**
 * The address to bind for `server.host`.
 * `localhost` means 127.0.0.1, whatever the machine's resolver says, so that the bound address is always known.
 * @throws ServerConfigError for everything that other machines could reach
 */
export function bindAddress(host: string): string {
  if (host.toLowerCase() === 'localhost') return '127.0.0.1';
  if (isLoopbackAddress(host)) return host;
  throw new ServerConfigError('server.host', 'must be a loopback address (127.0.0.1, ::1 or localhost)');
}
