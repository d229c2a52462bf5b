import fs from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../base/error-code.js';
import type { Clock } from '../../base/clock.js';
import { Serial } from '../../base/serial.js';
import { writeFileAtomically } from '../atomic-file.js';
import { prepareDataDir } from '../data-dir.js';
import { toStoreError } from '../sqlite-errors.js';
import {
  DamagedSecretsError,
  deriveKey,
  newKdf,
  parseSealed,
  seal,
  unseal,
  WrongPassphraseError,
  type DerivedKey,
  type Kdf,
  type Secrets,
} from './sealed-file.js';
import { SecretStoreError, type SecretStore, type SecretStoreState } from './secret-store.js';

export const SECRETS_FILE = 'secrets.enc';

/**
 * Secrets in one encrypted file, for machines without a keychain. A file that can't be read, for whatever reason, is refused
 * and left alone: nothing here ever begins anew over someone's credentials.
 */
export class FileSecretStore implements SecretStore {
  readonly kind = 'file';
  readonly #dataDir: string;
  readonly #passphrase: string | undefined;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  #derived: DerivedKey | undefined;
  /** One call at a time: each reads, and a write puts back, the whole file. */
  readonly #turns = new Serial();
  #closed = false;

  constructor(parts: { dataDir: string; passphrase: string | undefined; clock: Clock; deadlineMs: number }) {
    this.#dataDir = parts.dataDir;
    this.#passphrase = parts.passphrase;
    this.#clock = parts.clock;
    this.#deadlineMs = parts.deadlineMs;
  }

  async probe(): Promise<SecretStoreState> {
    try {
      await this.#inTurn(() => this.#load());
      return { state: 'ready' };
    } catch (error) {
      const { state, code } = toSecretStoreError(error);
      return { state, code };
    }
  }

  get(name: string): Promise<string | undefined> {
    return this.#inTurn(async () => (await this.#load()).get(name));
  }

  set(name: string, value: string): Promise<void> {
    return this.#inTurn(async () => {
      if (value === '') throw new SecretStoreError('failed', 'empty_secret', 'no empty secret is kept');
      await this.#save((await this.#load()).set(name, value));
    });
  }

  delete(name: string): Promise<void> {
    return this.#inTurn(async () => {
      const secrets = await this.#load();
      if (secrets.delete(name)) await this.#save(secrets);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turns.idle();
    this.#derived?.key.fill(0);
    this.#derived = undefined;
  }

  async #load(): Promise<Secrets> {
    let text: string;
    try {
      text = await fs.readFile(this.#file(), 'utf8');
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // The passphrase is asked for all the same: without one nothing could be kept.
      await this.#key(this.#derived?.kdf ?? newKdf());
      return new Map();
    }
    const sealed = parseSealed(text);
    return unseal(sealed, await this.#key(sealed.kdf));
  }

  async #save(secrets: Secrets): Promise<void> {
    prepareDataDir(this.#dataDir);
    await writeFileAtomically(this.#file(), seal(secrets, await this.#key(this.#derived?.kdf ?? newKdf())));
  }

  async #key(kdf: Kdf): Promise<DerivedKey> {
    if (this.#passphrase === undefined || this.#passphrase === '') {
      throw new SecretStoreError('locked', 'passphrase_missing', 'the secrets file needs a passphrase');
    }
    if (!this.#derived || JSON.stringify(this.#derived.kdf) !== JSON.stringify(kdf)) {
      this.#derived = await deriveKey(this.#passphrase, kdf);
    }
    return this.#derived;
  }

  #file(): string {
    return path.join(this.#dataDir, SECRETS_FILE);
  }

  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new SecretStoreError('failed', 'closed', 'the secrets file is closed'));
    return this.#beforeDeadline(this.#turns.run(step));
  }

  #beforeDeadline<T>(run: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(this.#deadlineMs, () =>
        reject(new SecretStoreError('failed', 'timeout', 'the secrets file did not answer in time')),
      );
      run.then(resolve, (error: unknown) => reject(toSecretStoreError(error))).finally(() => timer.cancel());
    });
  }
}

function toSecretStoreError(error: unknown): SecretStoreError {
  if (error instanceof SecretStoreError) return error;
  if (error instanceof WrongPassphraseError) {
    return new SecretStoreError('locked', 'wrong_passphrase', 'the passphrase does not open the secrets file');
  }
  if (error instanceof DamagedSecretsError) {
    return new SecretStoreError('failed', 'secrets_damaged', 'the secrets file is damaged; it was left as it is');
  }
  const { code } = toStoreError(error);
  return new SecretStoreError(
    'failed',
    code === 'failed' ? 'secrets_unreadable' : code,
    'the secrets file cannot be used',
  );
}
