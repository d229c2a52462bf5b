import path from 'node:path';
import { systemClock, type Clock } from '../../base/clock.js';
import { FileSecretStore } from './file-secret-store.js';
import { KeychainClient } from './keychain-client.js';
import { KeychainSecretStore } from './keychain-store.js';
import type { SecretStore } from './secret-store.js';
import { forkWorker, type SpawnWorker } from './spawn-worker.js';

/**
 * Where credentials live: the OS keychain, asked by a process of its own, or one encrypted file. Never a silent step from one
 * to the other. Codes beside the states: `keychain_locked`, `passphrase_missing`, `wrong_passphrase` (locked);
 * `keychain_absent`, `keychain_library_missing` (absent); `timeout`, `keychain_error`, `keychain_worker_failed`,
 * `secrets_damaged`, `secrets_unreadable`, `read_only`, `disk_full`, `data_dir_unusable`, `empty_secret`, `closed` (failed).
 */
export { SecretStoreError, type SecretStore, type SecretStoreState } from './secret-store.js';
export { forkWorker, workerEnv, type KeychainWorker, type SpawnWorker } from './spawn-worker.js';

/** Milliseconds a call to the keychain may take: long for a service of this machine, short for a window that waits for it. */
const KEYCHAIN_DEADLINE_MS = 5_000;
/** The file answers for certain, but its key takes a second of one core to derive, and many on a machine busy with other things. */
const SECRETS_FILE_DEADLINE_MS = 60_000;

/** The bundle of keychain-worker.ts, which lies beside the bundle of this. */
const WORKER_SCRIPT = 'keychain-worker.js';

export interface SecretStoreParts {
  readonly kind: 'keychain' | 'file';
  readonly dataDir: string;
  /** For `file`; without one that store is `locked` with `passphrase_missing`. */
  readonly passphrase?: string | undefined;
  /** Milliseconds for each call; {@link KEYCHAIN_DEADLINE_MS} or {@link SECRETS_FILE_DEADLINE_MS} unless told otherwise. */
  readonly deadlineMs?: number | undefined;
  readonly clock?: Clock | undefined;
  /** For `keychain`: how its process is started; a Node child process unless told otherwise. */
  readonly spawnWorker?: SpawnWorker | undefined;
}

/** Opens a secret store without touching it yet: `probe` tells how it is. */
export function openSecretStore(parts: SecretStoreParts): SecretStore {
  const { kind, dataDir, passphrase, clock = systemClock } = parts;
  if (kind === 'file') {
    return new FileSecretStore({
      dataDir,
      passphrase,
      clock,
      deadlineMs: parts.deadlineMs ?? SECRETS_FILE_DEADLINE_MS,
    });
  }
  const deadlineMs = parts.deadlineMs ?? KEYCHAIN_DEADLINE_MS;
  const spawn = parts.spawnWorker ?? forkWorker(path.join(__dirname, WORKER_SCRIPT));
  return new KeychainSecretStore(new KeychainClient({ spawn, clock, deadlineMs }), dataDir);
}
