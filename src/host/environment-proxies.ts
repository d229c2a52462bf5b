import { BlockList, isIP } from 'node:net';
import { bareHost } from '../base/loopback.js';
import { addressOf, readProxyUrl, toPac, type ProxyCredentials, type ProxyServer } from '../base/proxy/proxy-server.js';
import { portOf, type ProxyFinder } from '../base/proxy/way-out.js';

/** What the system this runs on says about proxies. */
export interface SystemProxies {
  readonly find: ProxyFinder;
  /** By `host:port`. Secrets: they go to their proxy and nowhere else. */
  readonly credentials: ReadonlyMap<string, ProxyCredentials>;
}

/** SOCKS counts each in one byte; more is no name that anybody was given. */
const MAX_CREDENTIAL_BYTES = 255;

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'] as const;
type Variable = (typeof VARIABLES)[number];

/** The variable that counts for a URL, before `ALL_PROXY`. Whatever is no web goes by that one alone. */
const OF_SCHEME: Readonly<Record<string, Variable>> = {
  'https:': 'HTTPS_PROXY',
  'wss:': 'HTTPS_PROXY',
  'http:': 'HTTP_PROXY',
  'ws:': 'HTTP_PROXY',
};

/**
 * Reads `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in small letters or capitals, as curl and others do.
 * @returns `proxies` undefined when none is named; `problems` name variables that can't be used, never their values, which
 *   may hold a password
 */
export function environmentProxies(env: NodeJS.ProcessEnv): {
  readonly proxies: SystemProxies | undefined;
  readonly problems: readonly string[];
} {
  const servers = new Map<Variable, ProxyServer>();
  const credentials = new Map<string, ProxyCredentials>();
  const problems: string[] = [];
  for (const name of VARIABLES) {
    const text = valueOf(env, name);
    if (text === undefined) continue;
    const read = readProxyUrl(text.includes('://') ? text : `http://${text}`);
    if (read === undefined || !fits(read.credentials)) {
      problems.push(`${name} must be the URL of a proxy, such as http://proxy.example:8080`);
      continue;
    }
    servers.set(name, read.server);
    if (read.credentials !== undefined) credentials.set(addressOf(read.server), read.credentials);
  }
  if (servers.size === 0) return { proxies: undefined, problems };
  const exceptions = (valueOf(env, 'NO_PROXY') ?? '').split(/[,\s]+/).filter((entry) => entry !== '');
  const find: ProxyFinder = async (text) => {
    const url = new URL(text);
    const variable = OF_SCHEME[url.protocol];
    const server = (variable && servers.get(variable)) ?? servers.get('ALL_PROXY');
    if (server === undefined || exceptions.some((entry) => covers(entry, url))) return toPac(undefined);
    return toPac({ kind: server.kind, address: addressOf(server) });
  };
  return { proxies: { find, credentials }, problems };
}

/** As {@link environmentProxies}, and takes the credentials out of the environment, so that no child process inherits them. */
export function takeProxies(env: NodeJS.ProcessEnv): ReturnType<typeof environmentProxies> {
  const read = environmentProxies(env);
  for (const name of VARIABLES.flatMap((variable) => [variable, variable.toLowerCase()])) {
    const text = env[name];
    if (text?.includes('@')) env[name] = text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1');
  }
  return read;
}

/** Every form in which credentials may turn up in a text. */
export function secretsOf({ credentials }: SystemProxies): string[] {
  return [...credentials.values()].flatMap(({ user, password }) => [
    password,
    Buffer.from(`${user}:${password}`, 'utf8').toString('base64'),
  ]);
}

function valueOf(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return [env[name.toLowerCase()], env[name]]
    .map((value) => value?.trim())
    .find((value) => value !== undefined && value !== '');
}

function fits(credentials: ProxyCredentials | undefined): boolean {
  const texts = credentials === undefined ? [] : [credentials.user, credentials.password];
  return texts.every((text) => Buffer.byteLength(text) <= MAX_CREDENTIAL_BYTES && !/[\0\r\n]/.test(text));
}

/** Whether an entry of `NO_PROXY` is about this host: `*`, a name with all below it, an address, a subnet; perhaps with a port. */
function covers(entry: string, url: URL): boolean {
  const host = bareHost(url.hostname);
  if (entry === '*') return true;
  if (entry.includes('/')) return isInSubnet(host, entry);
  if (isIP(bareHost(entry)) !== 0) return isInSubnet(host, bareHost(entry));
  const [, name = '', port] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  if (port !== undefined && Number(port) !== portOf(url)) return false;
  const domain = bareHost(name).replace(/^\*?\./, '');
  return host === domain || host.endsWith(`.${domain}`);
}

function isInSubnet(host: string, entry: string): boolean {
  const family = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const [net = '', bits] = entry.split('/');
  if (isIP(host) === 0 || isIP(net) === 0 || family(host) !== family(net)) return false;
  const length = bits === undefined ? (isIP(net) === 6 ? 128 : 32) : Number(bits);
  if (!Number.isInteger(length) || length < 0 || length > (isIP(net) === 6 ? 128 : 32)) return false;
  const block = new BlockList();
  block.addSubnet(net, length, family(net));
  return block.check(host, family(host));
}
