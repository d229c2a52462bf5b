import type { Clock } from '../base/clock.js';
import { readProxyUrl } from '../base/proxy/proxy-server.js';
import { STRAIGHT, WayOut, type Way } from '../base/proxy/way-out.js';
import type { Config, ConnectorName } from './config-schema.js';
import type { SystemProxies } from './environment-proxies.js';
import { rootsOf } from './network-roots.js';

export interface WaysOutOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** What the system says about a network's proxies; undefined where it says nothing. */
  readonly system: (name: ConnectorName) => SystemProxies | undefined;
  /** A network is reached in another way now. */
  readonly changed?: (name: ConnectorName, way: Way | undefined) => void;
}

/** The way out of each network, as the configuration chooses it; the local chat has none, and needs none. */
export class WaysOut {
  readonly #options: WaysOutOptions;
  readonly #ways = new Map<ConnectorName, WayOut>();

  constructor(options: WaysOutOptions) {
    this.#options = options;
  }

  of(name: ConnectorName): WayOut {
    const known = this.#ways.get(name);
    if (known) return known;
    if (name === 'local') return STRAIGHT;
    const way: WayOut = this.fresh(name, () => this.#options.changed?.(name, way.way));
    this.#ways.set(name, way);
    return way;
  }

  /** Another one for the same network, to see which way a single connection takes. */
  fresh(name: ConnectorName, changed?: () => void): WayOut {
    if (name === 'local') return STRAIGHT;
    const { config, clock, system } = this.#options;
    const { proxy } = config.connectors[name];
    const proxies = system(name);
    return new WayOut({
      clock,
      choice: proxy === 'system' || proxy === 'none' ? proxy : (readProxyUrl(proxy)?.server ?? 'system'),
      find: proxies?.find,
      credentials: proxies?.credentials,
      changed,
    });
  }

  /** How a network is reached at the moment, by its newest connection; undefined where nobody knows, and for what is here. */
  wayOf(connector: string): Way | undefined {
    return [...this.#ways].find(([name]) => name === connector)?.[1].way;
  }

  /** Asks anew which way each network is reached, to show it before there is a connection; never rejects. */
  async look(): Promise<void> {
    const { config } = this.#options;
    const looks = [...this.#ways].flatMap(([name, way]) => rootsOf(name, config).map((root) => way.look(root)));
    await Promise.allSettled(looks);
  }
}
