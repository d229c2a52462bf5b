import { resolveSrv as dnsResolveSrv } from 'node:dns';
import { domainToASCII } from 'node:url';
import { promisify } from 'node:util';
import { isLoopbackHost } from '../../base/loopback.js';

/** A place where the account's server may be reached. */
export interface Endpoint {
  /** `xmpp:` begins plain and upgrades by STARTTLS, `xmpps:` and `wss:` begin with TLS, `ws:` is for this machine. */
  readonly uri: string;
  /** Whether the stream may stay without TLS: only to this machine, and only where the configuration says so. */
  readonly mayBePlain: boolean;
}

export interface SrvRecord {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** Looks up SRV records; rejects where there are none. */
export type ResolveSrv = (name: string) => Promise<readonly SrvRecord[]>;

export const systemSrv: ResolveSrv = promisify(dnsResolveSrv);

/** RFC 6120 section 3.2.2, XEP-0368 section 4: where a domain without SRV records is looked for. */
const DEFAULT_STARTTLS_PORT = 5222;
const DEFAULT_TLS_PORT = 5223;

/**
 * Where to try, in order. A configured service is the only place; otherwise the domain's SRV records say, TLS from the first byte
 * and STARTTLS on one list by priority (XEP-0368), or its standard ports. DNS decides where, never whether TLS is used.
 */
export async function endpointsOf(
  domain: string,
  service: string | null,
  resolveSrv: ResolveSrv,
  random: () => number,
): Promise<Endpoint[]> {
  if (service !== null) return [{ uri: service, mayBePlain: isLoopbackHost(new URL(service).hostname) }];
  const host = domainToASCII(domain) || domain;
  const [tls, startTls] = await Promise.all([
    recordsOf(`_xmpps-client._tcp.${host}`, resolveSrv),
    recordsOf(`_xmpp-client._tcp.${host}`, resolveSrv),
  ]);
  const found = [
    ...tls.map((record) => ({ ...record, scheme: 'xmpps' })),
    ...startTls.map((record) => ({ ...record, scheme: 'xmpp' })),
  ].filter(({ name }) => name !== '' && name !== '.');
  if (found.length > 0) {
    return inOrder(found, random).map(({ scheme, name, port }) => ({
      uri: uriOf(scheme, name, port),
      mayBePlain: false,
    }));
  }
  return [
    { uri: uriOf('xmpp', host, DEFAULT_STARTTLS_PORT), mayBePlain: false },
    { uri: uriOf('xmpps', host, DEFAULT_TLS_PORT), mayBePlain: false },
  ];
}

async function recordsOf(name: string, resolveSrv: ResolveSrv): Promise<readonly SrvRecord[]> {
  try {
    return await resolveSrv(name);
  } catch {
    // None, or no DNS at the moment: the domain's standard ports are tried then, and the whole again after a while.
    return [];
  }
}

/** Lowest priority first; within one priority by chance, in proportion to the weights (RFC 2782). */
function inOrder<T extends SrvRecord>(records: readonly T[], random: () => number): T[] {
  return records
    .map((record) => ({ record, chance: -Math.log(1 - random()) / Math.max(record.weight, 0.01) }))
    .sort((a, b) => a.record.priority - b.record.priority || a.chance - b.chance)
    .map(({ record }) => record);
}

function uriOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${host}:${String(port)}`;
}
