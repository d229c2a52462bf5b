/** `locked`: there, but needs the person (unlock, passphrase). `absent`: no such store on this machine. `failed`: it answered nonsense or not in time. */
export type SecretStoreState =
  | { readonly state: 'ready' }
  | { readonly state: 'locked'; readonly code: string }
  | { readonly state: 'absent'; readonly code: string }
  | { readonly state: 'failed'; readonly code: string };

/**
 * Where credentials and the API key live. Every call has a deadline and rejects with {@link SecretStoreError};
 * none of them can hang the caller or block the process from exiting.
 */
export interface SecretStore {
  readonly kind: 'keychain' | 'file';
  /** Asks the store how it is; never throws. */
  probe(): Promise<SecretStoreState>;
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
  close(): Promise<void>;
}

export class SecretStoreError extends Error {
  override readonly name = 'SecretStoreError';
  constructor(
    readonly state: 'locked' | 'absent' | 'failed',
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
