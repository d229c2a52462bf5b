/**
 * From a configuration to a running host, without Electron: composition, logging with redaction, the snapshot and commands
 * that windows share, the control socket of the command line, and diagnostics. `cli/` holds one file per command.
 */
export { ConfigError, parseConfig, readConfig, type ReadConfig } from './config.js';
export type { Config } from './config-schema.js';
export { takeProxies, type SystemProxies } from './environment-proxies.js';
export { HostRunner, type HostRunnerOptions, type RunnerStage } from './host-runner.js';
export { readSettings, writeSettings, type Settings } from './settings.js';
export { resolvePlaces, type Places } from './data-dir.js';
export { startHost, type Host } from './host.js';
export { HostStartError, type HostOptions } from './host-options.js';
