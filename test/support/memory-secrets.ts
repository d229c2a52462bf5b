import { SecretStoreError, type SecretStore, type SecretStoreState } from '../../src/store/secrets/secret-store.js';

/** A secret store in memory that can be locked, taken away or made to fail, as a keychain can. */
export class MemorySecretStore implements SecretStore {
  readonly kind = 'keychain';
  readonly entries = new Map<string, string>();
  /** Calls in order, such as `set account/acc_1`; never a value. */
  readonly calls: string[] = [];
  #state: SecretStoreState = { state: 'ready' };
  #held: Promise<void> | undefined;

  /** From now on the store is in this state: every call but {@link probe} rejects unless it is `ready`. */
  become(state: SecretStoreState['state'], code = `secrets_${state}`): void {
    this.#state = state === 'ready' ? { state } : { state, code };
  }

  /** Makes every call wait until the returned function is called: a keychain that asks the person first. */
  hold(): () => void {
    let release = (): void => undefined;
    this.#held = new Promise((resolve) => {
      release = () => {
        this.#held = undefined;
        resolve();
      };
    });
    return release;
  }

  probe(): Promise<SecretStoreState> {
    return Promise.resolve(this.#state);
  }

  async get(name: string): Promise<string | undefined> {
    await this.#enter('get', name);
    return this.entries.get(name);
  }

  async set(name: string, value: string): Promise<void> {
    await this.#enter('set', name);
    this.entries.set(name, value);
  }

  async delete(name: string): Promise<void> {
    await this.#enter('delete', name);
    this.entries.delete(name);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #enter(call: string, name: string): Promise<void> {
    this.calls.push(`${call} ${name}`);
    await (this.#held ?? Promise.resolve());
    if (this.#state.state !== 'ready') {
      throw new SecretStoreError(this.#state.state, this.#state.code, `the secret store is ${this.#state.state}`);
    }
  }
}
