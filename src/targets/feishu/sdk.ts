import type { Logger } from '../../base/logger.js';
import type * as bundle from './sdk-bundle.js';

/** The SDK is 6 MB of code: it is loaded when an account first goes to the network, never at the start of the program. */
export type Sdk = typeof bundle;
export type LoadSdk = () => Promise<Sdk>;

export const loadSdk: LoadSdk = () => import('./sdk-bundle.js');

type SdkLogger = NonNullable<ConstructorParameters<Sdk['WSClient']>[0]['logger']>;

/**
 * What the SDK logs holds URLs with tickets, message bodies and whole HTTP errors, so none of it goes on. That there was
 * something is worth a line; what it was, our own code finds out and logs as a code.
 */
export function mutedLogger(log: Logger): SdkLogger {
  const silent = (): void => undefined;
  return {
    error: () => log.debug('the Feishu SDK noted an error'),
    warn: silent,
    info: silent,
    debug: silent,
    trace: silent,
  };
}
