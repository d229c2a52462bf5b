import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import type { Values } from '../../words/index.js';

/** What sentences about a sign-in may name: the network, and the proxy on the way to it. */
export function signInValues({ way }: ConnectorSnapshot, network: string): Values {
  return { network, proxy: way?.proxy?.address ?? '' };
}
