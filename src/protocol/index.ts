/**
 * The wire contract of the xAgent Connector protocol 3.0 as types, schemas and pure functions:
 * the only place that knows version facts. Nothing here does I/O.
 */
export * from './card.js';
export * from './descriptor.js';
export * from './error-codes.js';
export * from './packet.js';
export * from './payloads.js';
export * from './validate.js';
export * from './version.js';
