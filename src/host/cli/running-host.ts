import { existsSync } from 'node:fs';
import { CommandError } from '../command-error.js';
import { connectControl, HostUnreachableError, type ControlClient } from '../control-client.js';
import { readConfig } from '../config.js';
import { resolvePlaces } from '../data-dir.js';
import { CliError } from './io.js';

interface PlaceFlags {
  readonly config?: string;
  readonly 'data-dir'?: string;
}

/** Where the flags of a command point. */
export function placesOf(flags: PlaceFlags) {
  return resolvePlaces({ config: flags.config, dataDir: flags['data-dir'] });
}

/**
 * Where the host is that a command speaks to. What the host was started with counts, and not the file, which may be gone since; but
 * one that is named and wrong is refused by this command as by any other.
 * @throws ConfigError
 */
export function dataDirOf(flags: PlaceFlags): string {
  const { dataDir, configFile } = placesOf(flags);
  if (flags.config !== undefined && configFile !== undefined && existsSync(configFile)) readConfig(configFile);
  return dataDir;
}

/**
 * Runs `fn` with the running host of a data directory.
 * @throws CliError when none runs there, or when it refuses
 */
export async function withHost<T>(dataDir: string, fn: (host: ControlClient) => Promise<T>): Promise<T> {
  let host: ControlClient;
  try {
    host = await connectControl(dataDir);
  } catch (error) {
    if (!(error instanceof HostUnreachableError)) throw error;
    throw new CliError(`No connector host runs on ${dataDir}. Start it with "serve" or the desktop app.`);
  }
  try {
    return await fn(host);
  } catch (error) {
    if (error instanceof CommandError) throw new CliError(`${error.message} (${error.code})`);
    if (error instanceof HostUnreachableError) throw new CliError('The connector host ended meanwhile.');
    throw error;
  } finally {
    host.close();
  }
}
