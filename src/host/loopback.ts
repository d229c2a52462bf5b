import { isLoopbackAddress } from '../server/index.js';

/** Whether a host, as it stands in a URL or a setting, is this machine and no other. */
export function isLoopback(host: string): boolean {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return bare.toLowerCase() === 'localhost' || isLoopbackAddress(bare);
}
