import type { ReadConfig } from './config.js';
import type { Config } from './config-schema.js';
import type { Settings } from './settings.js';

/** Where a value comes from: the command line, the settings of the window, the configuration file, or the program itself. */
export type Source = 'flag' | 'settings' | 'config' | 'default';

export interface EffectiveConfig {
  readonly config: Config;
  readonly sources: { readonly port: Source; readonly allowedHosts: Source; readonly secretStore: Source };
}

/** What counts in the end: a flag before the settings, the settings before the file. */
export function effectiveConfig(
  { config, given }: ReadConfig,
  settings: Settings,
  flags: { readonly port?: number | undefined } = {},
): EffectiveConfig {
  const source = (flag: unknown, setting: unknown, key: string): Source => {
    if (flag !== undefined) return 'flag';
    if (setting !== undefined) return 'settings';
    return given.has(key) ? 'config' : 'default';
  };
  return {
    config: {
      ...config,
      server: {
        ...config.server,
        port: flags.port ?? settings.port ?? config.server.port,
        allowedHosts: settings.allowedHosts ?? config.server.allowedHosts,
      },
      secrets: { ...config.secrets, store: settings.secretStore ?? config.secrets.store },
    },
    sources: {
      port: source(flags.port, settings.port, 'server.port'),
      allowedHosts: source(undefined, settings.allowedHosts, 'server.allowedHosts'),
      secretStore: source(undefined, settings.secretStore, 'secrets.store'),
    },
  };
}
