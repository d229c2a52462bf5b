import { ensureDataDirId, readDataDirId } from '../data-dir.js';
import type { KeychainClient } from './keychain-client.js';
import { SecretStoreError, type SecretStore, type SecretStoreState } from './secret-store.js';

/** A name no secret bears; written and deleted to learn whether the keychain stores anything. */
const PROBE_NAME = 'probe';

/**
 * The OS keychain. Every data directory has its own items in it, told apart by the directory's random id, so that two
 * installations of one person do not sign each other out.
 */
export class KeychainSecretStore implements SecretStore {
  readonly kind = 'keychain';
  readonly #client: KeychainClient;
  readonly #dataDir: string;

  constructor(client: KeychainClient, dataDir: string) {
    this.#client = client;
    this.#dataDir = dataDir;
  }

  async probe(): Promise<SecretStoreState> {
    try {
      await this.#client.call({ call: 'probe', account: await this.#account(PROBE_NAME) });
      return { state: 'ready' };
    } catch (error) {
      const { state, code } = toSecretStoreError(error);
      return { state, code };
    }
  }

  async get(name: string): Promise<string | undefined> {
    const value = await this.#client.call({
      call: 'get',
      account: await this.#account(name),
      probeAccount: await this.#account(PROBE_NAME),
    });
    return value ?? undefined;
  }

  async set(name: string, value: string): Promise<void> {
    if (value === '') throw new SecretStoreError('failed', 'empty_secret', 'a keychain keeps no empty secret');
    await this.#client.call({ call: 'set', account: await this.#account(name), value });
  }

  async delete(name: string): Promise<void> {
    await this.#client.call({
      call: 'delete',
      account: await this.#account(name),
      probeAccount: await this.#account(PROBE_NAME),
    });
  }

  close(): Promise<void> {
    this.#client.close();
    return Promise.resolve();
  }

  async #account(name: string): Promise<string> {
    try {
      return `${readDataDirId(this.#dataDir) ?? (await ensureDataDirId(this.#dataDir))}/${name}`;
    } catch (error) {
      throw toSecretStoreError(error);
    }
  }
}

function toSecretStoreError(error: unknown): SecretStoreError {
  if (error instanceof SecretStoreError) return error;
  return new SecretStoreError(
    'failed',
    'data_dir_unusable',
    'the id of the data directory can be neither read nor made',
  );
}
