/**
 * The window's end of the bridge: one client interface over the preload script or a WebSocket, and the hooks that components
 * read it with. Components never see which one it is.
 */
export { type BridgeClient, CommandRefused, type View } from './client.js';
export { BridgeContext, useBridge } from './context.js';
export * from './hooks.js';
