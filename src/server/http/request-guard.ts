import type { Refusal } from './refusal.js';

/** What the guard needs to know of a request; an upgrade is a request too. */
export interface GuardedRequest {
  readonly method: string | undefined;
  /** The request target as it came. */
  readonly target: string | undefined;
  /** Names and values in turn, as Node's `rawHeaders`: repeated headers are still visible here. */
  readonly rawHeaders: readonly string[];
}

/** Which requests may come in at all. Fixed once the port is known. */
export interface GuardPolicy {
  /** Accepted `Host` values, lower case, each with its port. */
  readonly hosts: ReadonlySet<string>;
  /** Accepted `Origin` values. */
  readonly origins: ReadonlySet<string>;
}

/** Names under which this machine reaches itself, as they stand in a `Host` header. */
const OWN_NAMES = ['127.0.0.1', 'localhost', '[::1]'];
const DEFAULT_HTTP_PORT = 80;

/** Every method any route answers; what `Allow` says where no route was looked at. */
const SERVED_METHODS = 'GET, HEAD, POST';

/** Header lines of one request; agents send about ten. Counted here, because Node would drop the rest and with it what we look for. */
export const MAX_HEADERS = 64;

/** host[:port] with a DNS name, an IPv4 literal or a bracketed IPv6 literal; no trailing dot, no user info. */
const HOST_PATTERN = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::(\d{1,5}))?$/;

/**
 * The policy of a server on `address`:`port`. Its own names are always accepted.
 * @param allowedHosts entries for which {@link isHostEntry} holds; one without a port means the listening port
 */
export function guardPolicy(
  address: string,
  port: number,
  allowedHosts: readonly string[],
  allowedOrigins: readonly string[],
): GuardPolicy {
  const hosts = new Set<string>();
  const own = address.includes(':') ? `[${address}]` : address;
  for (const name of [...OWN_NAMES, own]) hosts.add(withPort(name, port));
  for (const entry of allowedHosts) {
    const parsed = parseHost(entry);
    if (parsed) hosts.add(withPort(parsed.name, parsed.port ?? port));
  }
  return { hosts, origins: new Set(allowedOrigins.map(normalOrigin)) };
}

/** Whether an `allowedHosts` entry can be read. */
export function isHostEntry(entry: string): boolean {
  return parseHost(entry) !== undefined;
}

/**
 * The first line of defence, before routing and before any key is looked at: against names of other sites that resolve to
 * this machine (rebinding), and against web pages in the person's browser.
 *
 * @param ownOrigin whether pages this server itself serves may call (the window in a browser)
 * @returns why the request is refused, or undefined
 */
export function checkRequest(request: GuardedRequest, policy: GuardPolicy, ownOrigin = false): Refusal | undefined {
  if (request.rawHeaders.length > MAX_HEADERS * 2) return { status: 431, code: 'too_many_headers' };
  const headers = readHeaders(request.rawHeaders);
  if (headers.hosts.length !== 1 || !isAllowedHost(headers.hosts[0], policy)) {
    return { status: 403, code: 'host_not_allowed', message: 'the Host header does not name this server' };
  }
  if (headers.origins.some((origin) => !isAllowedOrigin(origin, policy, ownOrigin))) {
    return { status: 403, code: 'origin_not_allowed', message: 'web pages may not call this server' };
  }
  if (headers.fetchSites.some((site) => site === 'cross-site' || site === 'same-site')) {
    return { status: 403, code: 'cross_site_request', message: 'web pages may not call this server' };
  }
  if (request.method === 'OPTIONS') {
    return { status: 405, code: 'method_not_allowed', headers: { Allow: SERVED_METHODS } };
  }
  // An absolute target would carry a second host beside the header's.
  if (request.target?.startsWith('/') !== true) {
    return { status: 400, code: 'invalid_request_target' };
  }
  return undefined;
}

/** The path of a request target. Not parsed as a URL: one that is none must reach {@link checkRequest}. */
export function pathOf(target: string | undefined): string {
  return target?.split('?', 1)[0] ?? '';
}

interface GuardHeaders {
  readonly hosts: string[];
  readonly origins: string[];
  readonly fetchSites: string[];
}

function readHeaders(rawHeaders: readonly string[]): GuardHeaders {
  const found: GuardHeaders = { hosts: [], origins: [], fetchSites: [] };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const value = rawHeaders[i + 1] ?? '';
    switch (rawHeaders[i]?.toLowerCase()) {
      case 'host':
        found.hosts.push(value);
        break;
      case 'origin':
        found.origins.push(value);
        break;
      case 'sec-fetch-site':
        found.fetchSites.push(value.trim().toLowerCase());
        break;
      default:
    }
  }
  return found;
}

function isAllowedHost(value: string | undefined, policy: GuardPolicy): boolean {
  const parsed = value === undefined ? undefined : parseHost(value);
  return parsed !== undefined && policy.hosts.has(withPort(parsed.name, parsed.port ?? DEFAULT_HTTP_PORT));
}

function isAllowedOrigin(value: string, policy: GuardPolicy, ownOrigin: boolean): boolean {
  const origin = normalOrigin(value);
  if (policy.origins.has(origin)) return true;
  const own = /^http:\/\/([^/]+)$/.exec(origin);
  return ownOrigin && isAllowedHost(own?.[1], policy);
}

function parseHost(value: string): { name: string; port: number | undefined } | undefined {
  const match = HOST_PATTERN.exec(value.toLowerCase());
  if (!match?.[1]) return undefined;
  return { name: match[1], port: match[2] === undefined ? undefined : Number(match[2]) };
}

function withPort(name: string, port: number): string {
  return `${name}:${port}`;
}

function normalOrigin(origin: string): string {
  return origin.trim().toLowerCase();
}
