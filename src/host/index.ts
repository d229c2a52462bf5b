/**
 * From a configuration to a running host, without Electron: composition, logging with redaction, the snapshot and commands
 * that windows share, the control socket of the command line, and diagnostics. `cli/` holds one file per command.
 */
export { ConfigError, loadConfig, parseConfig } from './config.js';
export type { Config } from './config-schema.js';
export { resolvePlaces, type Places } from './data-dir.js';
export { HostStartError, startHost, type Host, type HostOptions } from './host.js';
