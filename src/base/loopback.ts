import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether this is a literal loopback address. Parsed, not matched by prefix: `127.evil.example` is a name. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a host, as it stands in a URL or a setting, is this machine and no other: a loopback address, or `localhost`. */
export function isLoopbackHost(host: string): boolean {
  const bare = bareHost(host);
  return bare === 'localhost' || isLoopbackAddress(bare);
}

/** A host without the brackets of an IPv6 literal, in lower case. */
export function bareHost(host: string): string {
  const lower = host.toLowerCase();
  return lower.startsWith('[') && lower.endsWith(']') ? lower.slice(1, -1) : lower;
}
