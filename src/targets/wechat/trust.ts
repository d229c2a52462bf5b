import { isIP } from 'node:net';
import { TargetRefusal } from '../../base/errors.js';

/** Domains of the network itself; a server-supplied URL may point to them and below, at the standard port. */
const NETWORK_DOMAINS = ['weixin.qq.com', 'wechat.com'] as const;

/**
 * Decides which hosts named by the server we talk to: its own domains over https, the configured bases exactly as they stand,
 * and what the person added. Everything else could be a way to send our tokens elsewhere or to reach into the local network.
 */
export class TrustedHosts {
  readonly #origins: ReadonlySet<string>;
  readonly #extra: ReadonlySet<string>;

  /**
   * @param bases configured base URLs; trusted as origins (scheme, host and port)
   * @param extraHosts `connectors.wechat.trustedHosts`: host names or host:port, https only
   */
  constructor(bases: readonly string[], extraHosts: readonly string[]) {
    this.#origins = new Set(bases.map((base) => new URL(base).origin));
    this.#extra = new Set(extraHosts.map((host) => host.toLowerCase()));
  }

  /**
   * Checks a URL from the server before anything is sent there.
   * @param base what a relative one starts from
   * @throws TargetRefusal `untrusted_host`, not retryable, without naming the URL
   */
  check(text: string, base?: URL): URL {
    const url = parse(text, base);
    if (url.username !== '' || url.password !== '') throw refusal();
    if (this.#origins.has(url.origin)) return url;
    if (url.protocol !== 'https:') throw refusal();
    if (this.#extra.has(url.host) || this.#extra.has(url.hostname)) return url;
    if (url.port === '' && isIP(url.hostname) === 0 && isOfNetwork(url.hostname)) return url;
    throw refusal();
  }

  /**
   * Checks a host that the server named without a scheme; it is spoken to over https, or as configured if it is one of the bases.
   * @returns its origin
   * @throws TargetRefusal `untrusted_host`
   */
  checkHost(host: string): string {
    const configured = [...this.#origins].find((origin) => new URL(origin).host === host.toLowerCase());
    return configured ?? this.check(`https://${host}`).origin;
  }

  /**
   * Checks a base URL to which our own paths are added.
   * @returns the base without a slash at its end, a query or a fragment
   * @throws TargetRefusal `untrusted_host`
   */
  checkBase(text: string): string {
    const { origin, pathname } = this.check(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
    return `${origin}${pathname}`.replace(/\/+$/, '');
  }
}

function parse(text: string, base?: URL): URL {
  try {
    return new URL(text, base);
  } catch {
    throw refusal();
  }
}

function isOfNetwork(host: string): boolean {
  return NETWORK_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`));
}

function refusal(): TargetRefusal {
  return new TargetRefusal('untrusted_host', 'The server named a host that is not trusted', { retryable: false });
}
