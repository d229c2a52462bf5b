import { createContext, use } from 'react';
import type { BridgeClient } from './client.js';

export const BridgeContext = createContext<BridgeClient | undefined>(undefined);

/** The window's end of the bridge. */
export function useBridge(): BridgeClient {
  const client = use(BridgeContext);
  if (client === undefined) throw new Error('there is no bridge around this component');
  return client;
}
