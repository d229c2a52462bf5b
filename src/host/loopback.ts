import { isIP, isIPv4 } from 'node:net';

/**
 * Whether a host, as it stands in a URL or a setting, is this machine and no other. The address is parsed: a name that
 * merely begins like a loopback address (`127.evil.com`) is none.
 */
export function isLoopback(host: string): boolean {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (bare.toLowerCase() === 'localhost') return true;
  if (isIPv4(bare)) return bare.startsWith('127.');
  return isIP(bare) === 6 && new URL(`http://[${bare}]/`).hostname === '[::1]';
}
