/**
 * The typed contract between a running host and whoever shows it: the window over Electron IPC, a browser over a
 * WebSocket, the command line over the socket in the data directory. Commands in, snapshots out.
 */
export * from './bridge.js';
export * from './codes.js';
export * from './default-preferences.js';
export * from './limits.js';
export * from './overall.js';
export * from './paths.js';
export * from './place.js';
export * from './rehearsal.js';
export * from './results.js';
export * from './snapshot.js';
export * from './standing.js';
export * from './window.js';
