import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { bareHost, isLoopbackHost } from '../../base/loopback.js';
import { isPublicAddress, isWithin } from './hosts.js';

/** Which hosts a link may lead to. */
export interface ReachRules {
  /** Domains whose hosts are spoken to wherever they are: the account's own server and the person's. */
  readonly ownDomains: readonly string[];
  /** The configured server is this machine: its links may be plain http to this machine. */
  readonly loopback: boolean;
}

/** How a link is fetched; undefined when it must not be. */
export type Reach = { readonly lookup: LookupFunction | undefined } | undefined;

/**
 * Judges a link that came from outside. The person's words may carry any link, and we fetch it from inside this machine's network:
 * so https only, and public addresses only, checked on the very address that is connected to. Hosts of the two domains of the
 * conversation may be in a local network, as a server at home is.
 */
export function reachOf(url: URL, { ownDomains, loopback }: ReachRules): Reach {
  const host = bareHost(url.hostname);
  if (url.username !== '' || url.password !== '') return undefined;
  if (isLoopbackHost(host)) return loopback ? { lookup: undefined } : undefined;
  if (url.protocol !== 'https:') return undefined;
  if (isIP(host) !== 0) return isPublicAddress(host) ? { lookup: undefined } : undefined;
  return { lookup: ownDomains.some((domain) => isWithin(host, domain)) ? notLoopback : publicOnly };
}

const publicOnly = checkedLookup(isPublicAddress);
/** A name of one's own domain that points to this very machine would open our own ports to whoever writes. */
const notLoopback = checkedLookup((address) => isPublicAddress(address) || !isThisMachine(address));

function isThisMachine(address: string): boolean {
  const plain = address.toLowerCase().replace(/^::ffff:/, '');
  return isLoopbackHost(plain) || plain === '::' || plain.startsWith('0.') || plain.startsWith('169.254.');
}

function checkedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = Object.assign(new Error('the address is not allowed'), { code: 'EADDRNOTALLOWED' });
      if (error) {
        callback(error, '', 0);
        return;
      }
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isAllowed(address))) callback(refused, '', 0);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
