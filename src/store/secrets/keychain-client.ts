import type { Clock, Timer } from '../../base/clock.js';
import { isKeychainReply, type KeychainRequest } from './keychain-messages.js';
import { SecretStoreError } from './secret-store.js';
import type { KeychainWorker, SpawnWorker } from './spawn-worker.js';

/** Milliseconds without a call after which the worker, some 40 MB of memory, is let go. */
export const WORKER_IDLE_MS = 10_000;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** A request before it is numbered. */
export type KeychainCall = WithoutId<KeychainRequest>;

interface Pending {
  readonly request: KeychainRequest;
  readonly deadline: Timer;
  /** Given to a second worker because the first one ended by itself, or failed. */
  retried: boolean;
  resolve(value: string | null): void;
  reject(error: SecretStoreError): void;
}

/**
 * Calls to the keychain's process. Each has a deadline from the moment it is made; when one runs out, the process hangs, is
 * killed, and what else was waiting goes to a fresh one. All calls can be made twice with the same effect.
 */
export class KeychainClient {
  readonly #spawn: SpawnWorker;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #pending = new Map<number, Pending>();
  #worker: KeychainWorker | undefined;
  #idle: Timer | undefined;
  #lastId = 0;
  #closed = false;

  constructor(parts: { spawn: SpawnWorker; clock: Clock; deadlineMs: number }) {
    this.#spawn = parts.spawn;
    this.#clock = parts.clock;
    this.#deadlineMs = parts.deadlineMs;
  }

  /**
   * @returns what was read; null for nothing
   * @throws SecretStoreError with the keychain's state, or `failed` with `timeout` or `keychain_worker_failed`
   */
  call(call: KeychainCall): Promise<string | null> {
    if (this.#closed) return Promise.reject(new SecretStoreError('failed', 'closed', 'the keychain is closed'));
    return new Promise((resolve, reject) => {
      const id = (this.#lastId += 1);
      const request: KeychainRequest = { ...call, id };
      const deadline = this.#clock.after(this.#deadlineMs, () => this.#timeOut(id));
      this.#pending.set(id, { request, deadline, retried: false, resolve, reject });
      this.#idle?.cancel();
      this.#running()?.post(request);
    });
  }

  close(): void {
    this.#closed = true;
    for (const id of [...this.#pending.keys()]) {
      this.#settle(id)?.reject(new SecretStoreError('failed', 'closed', 'the keychain was closed'));
    }
    this.#idle?.cancel();
    this.#letGo();
  }

  #running(): KeychainWorker | undefined {
    if (!this.#worker) {
      try {
        const worker = this.#spawn();
        this.#worker = worker;
        worker.onMessage((message) => this.#take(worker, message));
        worker.onExit(() => this.#lost(worker));
      } catch {
        this.#failAll();
      }
    }
    // As long as someone waits for an answer the process must not end for want of other work.
    this.#worker?.keepParentAlive(this.#pending.size > 0);
    return this.#worker;
  }

  #take(worker: KeychainWorker, message: unknown): void {
    if (worker !== this.#worker || !isKeychainReply(message)) return;
    const asked = this.#pending.get(message.id);
    if (!message.ok && message.state === 'failed' && asked?.retried === false) {
      // A process that spoke with a keychain which was started anew since is not known there any more; a fresh one is.
      asked.retried = true;
      this.#letGo();
      this.#resend();
      return;
    }
    const pending = this.#settle(message.id);
    if (message.ok) pending?.resolve(message.value);
    else pending?.reject(new SecretStoreError(message.state, message.code, `the keychain is ${WORDS[message.state]}`));
  }

  #timeOut(id: number): void {
    this.#letGo();
    this.#settle(id)?.reject(new SecretStoreError('failed', 'timeout', 'the keychain did not answer in time'));
    this.#resend();
  }

  /** The worker ended by itself: crashed, or could not start. */
  #lost(worker: KeychainWorker): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    for (const [id, pending] of [...this.#pending]) {
      if (pending.retried) this.#fail(id);
      pending.retried = true;
    }
    this.#resend();
  }

  #resend(): void {
    for (const { request } of [...this.#pending.values()]) this.#running()?.post(request);
  }

  #failAll(): void {
    for (const id of [...this.#pending.keys()]) this.#fail(id);
  }

  #fail(id: number): void {
    this.#settle(id)?.reject(
      new SecretStoreError('failed', 'keychain_worker_failed', 'the keychain could not be asked'),
    );
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    pending?.deadline.cancel();
    this.#pending.delete(id);
    if (this.#pending.size === 0) {
      this.#worker?.keepParentAlive(false);
      this.#idle?.cancel();
      this.#idle = this.#clock.after(WORKER_IDLE_MS, () => this.#letGo());
    }
    return pending;
  }

  #letGo(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.keepParentAlive(false);
    worker?.kill();
  }
}

const WORDS = { locked: 'locked', absent: 'not there', failed: 'not working' } as const;
