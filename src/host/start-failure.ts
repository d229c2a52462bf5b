import { errorCode } from '../base/error-code.js';
import type { HostFailureCode } from '../bridge/index.js';
import { PortForbiddenError, PortInUseError, ServerConfigError } from '../server/index.js';
import { DataDirLockedError } from '../store/data-dir-lock.js';
import { StoreError } from '../store/store.js';
import { CommandError } from './command-error.js';
import { ConfigError } from './config.js';
import { HostStartError } from './host-options.js';

export interface StartFailure {
  readonly code: HostFailureCode;
  /** In English, for logs. No secret is in it. */
  readonly message: string;
}

const OF_STORE: Readonly<Record<StoreError['code'], HostFailureCode>> = {
  disk_full: 'disk_full',
  read_only: 'data_dir_read_only',
  not_a_folder: 'data_dir_not_a_folder',
  newer_version: 'store_newer_version',
  damaged: 'store_failed',
  closed: 'store_failed',
  failed: 'store_failed',
  gone: 'store_failed',
};

/** What a start of a host that failed comes to, for whoever shows it. */
export function startFailureOf(error: unknown): StartFailure {
  if (error instanceof DataDirLockedError) return { code: 'data_dir_locked', message: error.message };
  if (error instanceof ConfigError) return { code: 'config_invalid', message: error.message };
  if (error instanceof ServerConfigError) return { code: 'config_invalid', message: error.message };
  if (error instanceof HostStartError) return { code: error.code, message: error.message };
  if (error instanceof StoreError) return { code: OF_STORE[error.code], message: error.message };
  if (error instanceof PortInUseError || error instanceof PortForbiddenError) {
    return { code: error instanceof PortInUseError ? 'port_in_use' : 'port_forbidden', message: error.message };
  }
  if (error instanceof CommandError && error.code === 'passphrase_wrong') {
    return { code: error.code, message: error.message };
  }
  if (errorCode(error) === 'EADDRNOTAVAIL') {
    return { code: 'address_unavailable', message: 'the address of server.host is not one of this machine' };
  }
  return { code: 'start_failed', message: error instanceof Error ? error.message : 'the host could not start' };
}
