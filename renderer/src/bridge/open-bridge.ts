import type { BridgeClient } from './client.js';
import { PreloadClient } from './preload-client.js';
import { WebClient } from './web-client.js';

/** The bridge of this page: the preload script's inside the desktop app, else a WebSocket's. Called once. */
export function openBridge(): BridgeClient {
  const api = window.xagentConnector;
  return api === undefined ? new WebClient() : new PreloadClient(api);
}
