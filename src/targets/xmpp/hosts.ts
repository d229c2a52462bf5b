import { BlockList, isIP } from 'node:net';
import { bareHost } from '../../base/loopback.js';

/** Addresses that are not of the public internet: this machine, local networks, links, multicast, translation. */
const NOT_PUBLIC = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  NOT_PUBLIC.addSubnet(net, prefix, 'ipv6');

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address;
  const family = isIP(plain);
  if (family === 0 || plain.toLowerCase().startsWith('::ffff:')) return false;
  return !NOT_PUBLIC.check(plain, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a host is the domain itself or below it. */
export function isWithin(host: string, domain: string): boolean {
  const bare = bareHost(host);
  return bare === domain || bare.endsWith(`.${domain}`);
}
