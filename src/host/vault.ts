import type { Connector } from '../connector/connector.js';
import { secretName } from '../connector/credentials.js';
import type { SecretStore } from '../store/secrets/secret-store.js';
import { API_KEY_ENTRY } from './api-key.js';

/**
 * Every secret that the host keeps, by its name in the secret store. A store that registers what it gives out knows them all
 * afterwards.
 * @throws SecretStoreError
 */
export async function readVault(
  secrets: SecretStore,
  connectors: readonly Connector[],
): Promise<ReadonlyMap<string, string>> {
  const accounts = connectors.flatMap((connector) => connector.accounts());
  const found = new Map<string, string>();
  for (const name of [API_KEY_ENTRY, ...accounts.map(({ accountId }) => secretName(accountId))]) {
    const value = await secrets.get(name);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}
