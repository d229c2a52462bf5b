import { TransportError } from '../errors.js';
import { addressOf, type ProxyServer } from './proxy-server.js';

/**
 * There was no way through a proxy. Nothing of the call was sent yet, so its effect is always `none`.
 *
 * - `proxy_unreachable`: it takes no connection, or does not speak as a proxy does.
 * - `proxy_refused`: it said no, to us or to where we want to go; `answer` says how.
 */
export class ProxyError extends TransportError {
  /** `host:port`, without credentials. */
  readonly proxy: string;

  /** @param answer an HTTP status such as `407`, or what a SOCKS proxy's refusal is called */
  constructor(
    override readonly code: 'proxy_unreachable' | 'proxy_refused',
    readonly server: ProxyServer,
    readonly answer?: string,
  ) {
    const proxy = addressOf(server);
    const words =
      code === 'proxy_unreachable'
        ? `The proxy ${proxy} could not be reached`
        : `The proxy ${proxy} refused to connect (${answer ?? 'no reason given'})`;
    super(code, words, { effect: 'none' });
    this.proxy = proxy;
  }
}
