import { prepared } from './statements.js';
import type { Sql } from './store.js';

/** An account that was deleted, and whose counters and reader's state are still there. */
export interface GoneAccount {
  readonly accountId: string;
  /** The reader that served it and no other account; undefined when that one is still needed. */
  readonly consumer: string | undefined;
}

/** Inside the transaction that deletes the account, so that nothing of it can be left without a note. */
export function noteGoneAccount(sql: Sql, { accountId, consumer }: GoneAccount, now: number): void {
  const text = `INSERT INTO gone_account (account_id, consumer, gone_at) VALUES (?, ?, ?)
    ON CONFLICT (account_id) DO UPDATE SET consumer = excluded.consumer, gone_at = excluded.gone_at`;
  prepared(sql, text).run(accountId, consumer ?? null, now);
}

/** Inside the transaction that stores an account: its reader's state is needed, whoever left it there. */
export function claimConsumer(sql: Sql, consumer: string): void {
  prepared(sql, 'UPDATE gone_account SET consumer = NULL WHERE consumer = ?').run(consumer);
}

/**
 * Inside a transaction: removes the reader's state of accounts that are gone since before `olderThan`, and the notes about them.
 * @returns the accounts, whose other remains belong to the caller
 */
export function takeGoneAccounts(sql: Sql, olderThan: number): readonly string[] {
  const text = 'SELECT account_id, consumer FROM gone_account WHERE gone_at < ?';
  const rows = prepared<{ account_id: string; consumer: string | null }>(sql, text).all(olderThan);
  for (const { account_id, consumer } of rows) {
    if (consumer !== null) prepared(sql, 'DELETE FROM consumer_state WHERE consumer = ?').run(consumer);
    prepared(sql, 'DELETE FROM gone_account WHERE account_id = ?').run(account_id);
  }
  return rows.map((row) => row.account_id);
}
