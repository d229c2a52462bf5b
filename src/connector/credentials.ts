import { createHash } from 'node:crypto';
import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { parseJson } from '../base/parse-json.js';
import { Serial } from '../base/serial.js';
import { SecretStoreError, type SecretStore } from '../store/secrets/secret-store.js';
import { prepared } from '../store/statements.js';
import type { Sql, Store } from '../store/store.js';
import type { Credentials } from '../targets/target.js';

/** What the secret store holds of one account. */
export interface StoredCredentials {
  readonly credentials: Credentials;
  /** Digest of the form input that made them, so that equal input is known again without being kept. */
  readonly inputDigest: string | undefined;
}

/** How long to wait before a secret store that was locked or failing is asked again. */
export const SECRET_RETRY: BackoffPolicy = { initialMs: 5_000, maxMs: 300_000 };

export function secretName(accountId: string): string {
  return `account/${accountId}`;
}

/** Inside a transaction: this entry of the secret store has no owner (any more). */
export function markUnwanted(sql: Sql, cardId: string, accountId: string): void {
  prepared(sql, 'INSERT OR IGNORE INTO unwanted_secret (name, card_id) VALUES (?, ?)').run(
    secretName(accountId),
    cardId,
  );
}

/** Inside a transaction: this entry of the secret store belongs to an account. */
export function markWanted(sql: Sql, accountId: string): void {
  prepared(sql, 'DELETE FROM unwanted_secret WHERE name = ?').run(secretName(accountId));
}

/** Digest of form input, equal for equal input whatever the order of its fields. It is kept in the secret store only. */
export function inputDigest(flowId: string, input: Readonly<Record<string, string>>): string {
  const fields = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([flowId, fields]))
    .digest('base64url');
}

/**
 * The accounts' entries in the secret store. An entry is announced as unwanted before it is written and after its account is
 * gone, in the database's own transactions, so that neither a crash nor a locked keychain leaves a secret behind for ever.
 */
export class CredentialVault {
  readonly #parts: {
    store: Store;
    secrets: SecretStore;
    clock: Clock;
    log: Logger;
    random: () => number;
    cardId: string;
  };
  /** Entries written for a sign-in whose row is not committed yet. */
  readonly #inCreation = new Set<string>();
  #failures = 0;
  #retry: Timer | undefined;
  readonly #sweeps = new Serial();
  /** The sweep that has not begun yet: one that runs has read its list already, and knows nothing of what ended since. */
  #nextSweep: Promise<void> | undefined;
  #closed = false;

  constructor(parts: {
    store: Store;
    secrets: SecretStore;
    clock: Clock;
    log: Logger;
    random: () => number;
    cardId: string;
  }) {
    this.#parts = parts;
  }

  /** @throws SecretStoreError */
  async read(accountId: string): Promise<StoredCredentials | undefined> {
    const text = await this.#parts.secrets.get(secretName(accountId));
    return text === undefined ? undefined : decode(text);
  }

  /** Writes the entry of an account that has a row already. @throws SecretStoreError */
  async replace(accountId: string, entry: StoredCredentials): Promise<void> {
    await this.#parts.secrets.set(secretName(accountId), JSON.stringify(entry));
  }

  /**
   * Writes the entry of a new account, then runs `commit`, whose transaction must call {@link markWanted}. When either
   * fails, the entry is deleted again.
   * @throws SecretStoreError, StoreError, and what `commit` throws
   */
  async create<T>(accountId: string, entry: StoredCredentials, commit: () => Promise<T>): Promise<T> {
    const name = secretName(accountId);
    this.#inCreation.add(name);
    try {
      await this.#parts.store.write((sql) => markUnwanted(sql, this.#parts.cardId, accountId));
      await this.replace(accountId, entry);
      return await commit();
    } catch (error) {
      this.#inCreation.delete(name);
      void this.sweep();
      throw error;
    } finally {
      this.#inCreation.delete(name);
    }
  }

  /** Deletes what is unwanted; what the store refuses is tried again later. Never throws. */
  sweep(): Promise<void> {
    this.#nextSweep ??= this.#sweeps.run(() => {
      this.#nextSweep = undefined;
      return this.#sweep();
    });
    return this.#nextSweep;
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
  }

  async #sweep(): Promise<void> {
    this.#retry?.cancel();
    const { store, secrets, cardId, clock, log, random } = this.#parts;
    try {
      const unwanted = prepared<{ name: string }>(store.sql, 'SELECT name FROM unwanted_secret WHERE card_id = ?');
      for (const { name } of unwanted.all(cardId)) {
        if (this.#inCreation.has(name)) continue;
        await secrets.delete(name);
        await store.write((sql) => prepared(sql, 'DELETE FROM unwanted_secret WHERE name = ?').run(name));
      }
      this.#failures = 0;
    } catch (error) {
      if (this.#closed) return;
      this.#failures += 1;
      const code = error instanceof SecretStoreError ? error.code : describeError(error);
      log.warn({ code }, 'credentials of an ended sign-in could not be deleted yet');
      this.#retry = clock.after(backoffDelay(SECRET_RETRY, this.#failures, random), () => void this.sweep());
    }
  }
}

function decode(text: string): StoredCredentials | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || !('credentials' in value)) return undefined;
  const { credentials } = value;
  if (!isTextRecord(credentials)) return undefined;
  const digest = 'inputDigest' in value && typeof value.inputDigest === 'string' ? value.inputDigest : undefined;
  return { credentials, inputDigest: digest };
}

function isTextRecord(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((entry) => typeof entry === 'string')
  );
}
