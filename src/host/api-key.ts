import { randomBytes } from 'node:crypto';
import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { ApiKeySnapshot, SecretsSnapshot } from '../bridge/index.js';
import type { ApiKeySource } from '../server/index.js';
import { SecretStoreError, type SecretStore } from '../store/secrets/secret-store.js';
import { CommandError } from './command-error.js';
import type { ApiKeyRecord } from './api-key-record.js';
import { secretsAdvice } from './secrets-advice.js';
import type { SecretRegistry } from './secret-registry.js';

/** The entry of the secret store that holds the key. */
export const API_KEY_ENTRY = 'api-key';
/** 256 bits: nobody guesses it, however long the server runs. */
const API_KEY_BYTES = 32;

/** Shown to tell two keys apart. */
const TAIL_CHARACTERS = 4;
/** A key of the configuration that is shorter than this would be half given away by its tail, so none is shown. */
const TAIL_FROM_LENGTH = 16;

/** A locked keychain is asked again after this; often at first, because the person may just be unlocking it. */
const UNLOCK_RETRY: BackoffPolicy = { initialMs: 2_000, maxMs: 60_000 };

type Waiting = Exclude<SecretsSnapshot['state'], 'ready'>;

/**
 * The system API key and, with it, the state of the secret store. While the store is locked or absent the host lives on:
 * keyed requests are refused, and the store is asked again until it is ready.
 */
export class ApiKeyKeeper implements ApiKeySource {
  readonly #listeners = new Set<() => void>();
  #key: string | undefined;
  #createdAt: number | undefined;
  #state: SecretsSnapshot;
  #failures = 0;
  #retry: Timer | undefined;
  #asking: Promise<void> | undefined;
  #closed = false;

  constructor(
    private readonly parts: {
      /** `server.apiKey`: goes before the stored one and can't be rotated here. */
      readonly configured: string | null;
      readonly secrets: SecretStore;
      readonly registry: SecretRegistry;
      readonly record: ApiKeyRecord;
      readonly clock: Clock;
      readonly log: Logger;
      readonly random: () => number;
      /** The store's state changed; `ready` says that accounts which waited for it can open now. */
      readonly changed: (ready: boolean) => void;
    },
  ) {
    this.#state = { kind: parts.secrets.kind, state: 'locked', code: 'not_asked_yet', since: parts.clock.now() };
    if (parts.configured !== null) {
      parts.registry.add(parts.configured);
      this.#key = parts.configured;
    }
  }

  get state(): SecretsSnapshot {
    return this.#state;
  }

  /** What a window shows of the key; undefined while it can't be read. */
  get facts(): ApiKeySnapshot | undefined {
    if (this.#key === undefined) return undefined;
    const tail = this.#key.length < TAIL_FROM_LENGTH ? '' : this.#key.slice(-TAIL_CHARACTERS);
    return { tail, createdAt: this.#createdAt, configured: this.parts.configured !== null };
  }

  current(): string | undefined {
    return this.#key;
  }

  onRotate(fn: () => void): () => void {
    this.#listeners.add(fn);
    return () => void this.#listeners.delete(fn);
  }

  /**
   * Asks the store once; when it is not ready, goes on asking in the background. To be called again whenever it may have
   * changed: the machine woke, a person asks, or a use of it failed. Never throws.
   */
  check(): Promise<void> {
    this.#retry?.cancel();
    this.#retry = undefined;
    this.#asking ??= this.#ask().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      const probed = await this.parts.secrets.probe();
      if (probed.state !== 'ready') {
        this.#notReady(probed.state, probed.code);
        return;
      }
      // A key that is in use stays in use, whatever became of the entry meanwhile.
      if (this.#key === undefined) await this.#loadOrCreate();
      this.#ready();
    } catch (error) {
      if (error instanceof SecretStoreError) this.#notReady(error.state, error.code);
      else this.#notReady('failed', describeError(error));
    }
  }

  /** @throws CommandError while there is none */
  require(): string {
    if (this.#key === undefined) {
      throw new CommandError('secret_store_unavailable', `the secret store is ${this.#state.state}: ${this.#advice()}`);
    }
    return this.#key;
  }

  /**
   * Makes a new key. The old one fails at once, and connected agents are cut.
   * @throws CommandError when the key comes from the configuration; SecretStoreError when it could not be kept
   */
  async rotate(): Promise<string> {
    if (this.parts.configured !== null) {
      throw new CommandError(
        'api_key_configured',
        'the key is set by server.apiKey in the configuration: change it there',
      );
    }
    this.require();
    const key = newKey();
    try {
      await this.parts.secrets.set(API_KEY_ENTRY, key);
    } catch (error) {
      void this.check();
      throw error;
    }
    const recorded = this.#made(key);
    this.parts.log.info('the API key was rotated');
    for (const fn of this.#listeners) fn();
    await recorded;
    return key;
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
  }

  async #loadOrCreate(): Promise<void> {
    const stored = await this.parts.secrets.get(API_KEY_ENTRY);
    if (stored !== undefined && stored !== '') {
      this.#key = stored;
      this.#createdAt = this.parts.record.createdAt(stored);
      return;
    }
    const key = newKey();
    await this.parts.secrets.set(API_KEY_ENTRY, key);
    await this.#made(key);
    this.parts.log.info('a new API key was made; "api-key" shows it');
  }

  async #made(key: string): Promise<void> {
    this.#key = key;
    this.#createdAt = this.parts.clock.now();
    await this.parts.record.made(key, this.#createdAt);
  }

  #ready(): void {
    this.#failures = 0;
    this.#enter('ready', undefined);
  }

  #notReady(state: Waiting, code: string): void {
    if (this.#closed) return;
    const changed = this.#enter(state, code);
    if (changed) {
      this.parts.log.warn({ state, code, advice: this.#advice() }, 'the secret store can not be used yet');
    }
    this.#failures += 1;
    const delay = backoffDelay(UNLOCK_RETRY, this.#failures, this.parts.random);
    this.#retry = this.parts.clock.after(delay, () => void this.check());
  }

  #enter(state: SecretsSnapshot['state'], code: string | undefined): boolean {
    if (this.#state.state === state && this.#state.code === code) return false;
    this.#state = { kind: this.parts.secrets.kind, state, code, since: this.parts.clock.now() };
    this.parts.changed(state === 'ready');
    return true;
  }

  #advice(): string {
    return secretsAdvice(this.#state);
  }
}

function newKey(): string {
  return randomBytes(API_KEY_BYTES).toString('base64url');
}
