import { describeError } from '../base/errors.js';
import { prepared, type Store } from '../store/index.js';
import {
  holdLeft,
  pendingBySeq,
  pendingWithAttachments,
  replaceBody,
  sealPending,
  type PendingKey,
  type PendingRow,
} from './pending-queue.js';
import type { FileOutcome } from './pending-body.js';
import { MessageFetch, type FetchDeps } from './message-fetch.js';
import type { WriteBehind } from './write-behind.js';

/** Messages of one account whose attachments are fetched at the same time; enough to overlap waiting, few enough for a slow line. */
const FETCHING_AT_ONCE = 4;
/**
 * How long the message at the head, which could be offered but for its files, waits for them.
 * A transfer under way and the tries of a network that is briefly away fit in; half of its remaining life is the other bound.
 */
const HEAD_WAIT_MS = 120_000;

interface Account {
  /** Seqs whose fetch has not begun, in order. */
  readonly waiting: Set<number>;
  readonly running: Map<number, Running>;
}

interface Running {
  readonly fetch: MessageFetch;
  /** Resolves with what became of each file once that is on disk: offered again, the message must name the same files. */
  readonly recorded: Promise<readonly FileOutcome[]>;
}

/** Fetches attachments in the background, from intake on and again after a restart, and writes down what became of them. */
export class Attachments {
  readonly #deps: Omit<FetchDeps, 'cardOf'> & { readonly store: Store; readonly writeBehind: WriteBehind };
  readonly #fetchDeps: FetchDeps;
  readonly #accounts = new Map<string, Account>();
  #closed = false;

  constructor(deps: Omit<FetchDeps, 'cardOf'> & { readonly store: Store; readonly writeBehind: WriteBehind }) {
    this.#deps = deps;
    this.#fetchDeps = { ...deps, cardOf: (accountId) => this.#cardOf(accountId) };
  }

  /** Goes on with what an earlier run of the program left. */
  resume(accountId: string): void {
    this.add(accountId, pendingWithAttachments(this.#deps.store.sql, accountId));
  }

  /** Committed rows that have attachments or may still be joined by some, oldest first. */
  add(accountId: string, seqs: readonly number[]): void {
    if (seqs.length === 0) return;
    const account = this.#account(accountId);
    for (const seq of seqs) account.waiting.add(seq);
    this.#startNext(accountId, account);
  }

  /**
   * What became of the row's attachments, at the latest after {@link HEAD_WAIT_MS} or half the row's remaining life.
   * The row must be committed as it stands.
   */
  async settle(row: PendingRow): Promise<readonly FileOutcome[]> {
    const body = row.body;
    if (!body || body.files.every((outcome) => outcome !== null)) return body?.files ?? [];
    const account = this.#account(row.accountId);
    const running = account.running.get(row.seq) ?? this.#start(row.accountId, account, row);
    if (!running) return body.files;
    const { clock } = this.#deps;
    const patience = Math.min(HEAD_WAIT_MS, Math.max((row.expiresAt - clock.steady()) / 2, 0));
    const timer = clock.after(patience, () => running.fetch.giveUp());
    const outcomes = await running.recorded;
    timer.cancel();
    return outcomes;
  }

  /** The message ended: its files are not needed. */
  cancel(accountId: string, seq: number): void {
    const account = this.#accounts.get(accountId);
    account?.waiting.delete(seq);
    account?.running.get(seq)?.fetch.giveUp();
  }

  forget(accountId: string): void {
    const account = this.#accounts.get(accountId);
    this.#accounts.delete(accountId);
    account?.waiting.clear();
    for (const { fetch } of account?.running.values() ?? []) fetch.giveUp();
  }

  close(): void {
    this.#closed = true;
    for (const accountId of [...this.#accounts.keys()]) this.forget(accountId);
  }

  #account(accountId: string): Account {
    let account = this.#accounts.get(accountId);
    if (!account) {
      account = { waiting: new Set(), running: new Map() };
      this.#accounts.set(accountId, account);
    }
    return account;
  }

  #startNext(accountId: string, account: Account): void {
    for (const seq of account.waiting) {
      if (account.running.size >= FETCHING_AT_ONCE) return;
      account.waiting.delete(seq);
      const row = pendingBySeq(this.#deps.store.sql, { accountId, seq });
      if (!row?.body || account.running.has(seq)) continue;
      if (row.mergeKey !== undefined) this.#startWhenWhole(accountId, account, row);
      else if (row.body.message.attachments.length > 0) this.#start(accountId, account, row);
    }
  }

  /** An album grows until its hold is over; then it is closed and its files are fetched. */
  #startWhenWhole(accountId: string, account: Account, row: PendingRow): void {
    const { clock, store, log } = this.#deps;
    clock.after(holdLeft(row, clock.steady()), () => {
      if (this.#closed || this.#accounts.get(accountId) !== account) return;
      store
        .write((sql) => sealPending(sql, row))
        .then(
          (sealed) => {
            if (sealed) this.add(accountId, [row.seq]);
          },
          // The dispatcher closes it again when its turn comes, and its files are fetched then.
          (error: unknown) => log.info({ accountId, error: describeError(error) }, 'an album could not be closed yet'),
        );
    });
  }

  #start(accountId: string, account: Account, row: PendingRow): Running | undefined {
    if (this.#closed || !row.body) return undefined;
    account.waiting.delete(row.seq);
    const fetch = new MessageFetch(this.#fetchDeps, accountId, row.body.message.attachments, row.body.files);
    const recorded = fetch.done.then(async (files) => {
      // A fetch that was ended with its program or its message says nothing about the file.
      if (!this.#closed && this.#accounts.get(accountId) === account) await this.#record(row, files);
      account.running.delete(row.seq);
      if (!this.#closed) this.#startNext(accountId, account);
      return files;
    });
    const running = { fetch, recorded };
    account.running.set(row.seq, running);
    return running;
  }

  /** Written so that a restart neither fetches again what is stored nor tries again what was given up. */
  #record(key: PendingKey, files: readonly FileOutcome[]): Promise<void> {
    const { store, writeBehind } = this.#deps;
    return writeBehind.run(() =>
      store.write((sql) => {
        const body = pendingBySeq(sql, key)?.body;
        if (body) replaceBody(sql, key, { ...body, files });
      }),
    );
  }

  #cardOf(accountId: string): string {
    const text = 'SELECT card_id FROM account WHERE account_id = ?';
    return prepared<{ card_id: string }>(this.#deps.store.sql, text).get(accountId)?.card_id ?? '';
  }
}
