import { BlockList, isIP } from 'node:net';
import { ServerConfigError } from '../server-errors.js';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether this is a literal loopback address. Parsed, not matched by prefix: `127.evil.example` is a name. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

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
