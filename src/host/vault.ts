import { readAccountIds } from '../connector/account-store.js';
import { secretName } from '../connector/credentials.js';
import type { SecretStore } from '../store/secrets/secret-store.js';
import type { Sql } from '../store/store.js';
import { API_KEY_ENTRY } from './api-key.js';

/** The name of every secret that a data directory has in its secret store; those of networks that are switched off too. */
export function secretNames(sql: Sql): string[] {
  return [API_KEY_ENTRY, ...readAccountIds(sql).map(secretName)];
}

/**
 * What a secret store keeps under these names. A store that registers what it gives out knows them all afterwards.
 * @throws SecretStoreError
 */
export async function readVault(secrets: SecretStore, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const name of names) {
    const value = await secrets.get(name);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}
