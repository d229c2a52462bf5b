import { bareHost } from '../loopback.js';

/** How a proxy is spoken to: `CONNECT` over plain or TLS connections, or SOCKS of either version. */
export type ProxyKind = 'http' | 'https' | 'socks4' | 'socks5';

export interface ProxyServer {
  readonly kind: ProxyKind;
  /** Without the brackets of an IPv6 literal. */
  readonly host: string;
  readonly port: number;
}

/** A user name and password for a proxy; never shown and never logged. */
export interface ProxyCredentials {
  readonly user: string;
  readonly password: string;
}

/** What to try next for a connection: a proxy, or the network itself. */
export type Hop = ProxyServer | 'direct';

const DEFAULT_PORTS: Readonly<Record<ProxyKind, number>> = { http: 80, https: 443, socks4: 1080, socks5: 1080 };

/** Words of a proxy auto-configuration; plain `SOCKS` means version 4, as browsers take it. */
const PAC_WORDS: Readonly<Record<string, ProxyKind>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
};

const URL_KINDS: Readonly<Record<string, ProxyKind>> = {
  'http:': 'http',
  'https:': 'https',
  'socks4:': 'socks4',
  'socks4a:': 'socks4',
  'socks:': 'socks5',
  'socks5:': 'socks5',
  'socks5h:': 'socks5',
};

/** `host:port`, as people write it; says nothing of credentials. */
export function addressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
}

/**
 * Reads what `FindProxyForURL` of a proxy auto-configuration gives, and Electron's `resolveProxy` likewise: `PROXY a:8080; SOCKS5 b:1080; DIRECT`.
 * Entries that make no sense are left out; without any that does, the way is straight, as in browsers.
 */
export function readPac(text: string): readonly Hop[] {
  const hops = text.split(';').flatMap((entry): Hop[] => {
    const [word = '', address = ''] = entry.trim().split(/\s+/);
    if (word.toUpperCase() === 'DIRECT') return ['direct'];
    const kind = PAC_WORDS[word.toUpperCase()];
    const [, host, port] = /^(\[[\da-f:.]+\]|[^:[\]\s]+)(?::(\d{1,5}))?$/i.exec(address) ?? [];
    if (kind === undefined || host === undefined) return [];
    return [{ kind, host: bareHost(host), port: port === undefined ? DEFAULT_PORTS[kind] : Number(port) }];
  });
  return hops.length === 0 ? ['direct'] : hops;
}

/** One proxy in the notation that {@link readPac} reads; undefined is the straight way. */
export function toPac(proxy: { readonly kind: ProxyKind; readonly address: string } | undefined): string {
  if (proxy === undefined) return 'DIRECT';
  const word = { http: 'PROXY', https: 'HTTPS', socks4: 'SOCKS4', socks5: 'SOCKS5' }[proxy.kind];
  return `${word} ${proxy.address}`;
}

/**
 * Reads a proxy's URL, as environment variables and the configuration have it: `http://`, `https://`, `socks4://` or `socks5://`
 * with a host, perhaps a port and credentials, and nothing else.
 * @returns undefined when it is none; whatever it says, the text itself may hold a password
 */
export function readProxyUrl(
  text: string,
): { readonly server: ProxyServer; readonly credentials: ProxyCredentials | undefined } | undefined {
  try {
    const url = new URL(text);
    const kind = URL_KINDS[url.protocol];
    if (kind === undefined || url.hostname === '' || !/^\/?$/.test(url.pathname + url.search + url.hash))
      return undefined;
    const host = bareHost(decodeURIComponent(url.hostname));
    const port = url.port === '' ? DEFAULT_PORTS[kind] : Number(url.port);
    if (port === 0) return undefined;
    const isOpen = url.username === '' && url.password === '';
    const credentials = { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
    return { server: { kind, host, port }, credentials: isOpen ? undefined : credentials };
  } catch {
    return undefined;
  }
}
