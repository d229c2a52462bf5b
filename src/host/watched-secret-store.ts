import { SecretStoreError, type SecretStore } from '../store/secrets/secret-store.js';

/** A secret store that tells when it could not be used, so that nobody has to ask it all the time how it is. */
export function watchedSecretStore(store: SecretStore, failed: () => void): SecretStore {
  async function watched<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof SecretStoreError) failed();
      throw error;
    }
  }
  return {
    kind: store.kind,
    probe: () => store.probe(),
    get: (name) => watched(store.get(name)),
    set: (name, value) => watched(store.set(name, value)),
    delete: (name) => watched(store.delete(name)),
    close: () => store.close(),
  };
}
