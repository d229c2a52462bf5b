import { prepared, takeGoneAccounts, type Sql, type Store, type Urgency } from '../store/index.js';

/** Adds to a counter within the running write. */
export type Count = (accountId: string, name: string, by?: number) => void;

const ADD = `INSERT INTO counter (account_id, name, value) VALUES (?, ?, ?)
  ON CONFLICT (account_id, name) DO UPDATE SET value = value + excluded.value`;

/**
 * Counters per account, written in the same transaction as what they count: a count survives exactly when its reason does.
 */
export class Counters {
  readonly #store: Store;
  readonly #values = new Map<string, Map<string, number>>();

  /** @param counted called after each count is on disk */
  constructor(
    store: Store,
    private readonly counted: Count = () => undefined,
  ) {
    this.#store = store;
    const rows = prepared<{ account_id: string; name: string; value: number }>(
      store.sql,
      'SELECT account_id, name, value FROM counter',
    ).all();
    for (const row of rows) this.#add(row.account_id, row.name, row.value);
  }

  /** One transaction with whatever it counts; see {@link Store.write} for its errors. */
  async write<T>(fn: (sql: Sql, count: Count) => T, urgency: Urgency = 'now'): Promise<T> {
    const counted: [accountId: string, name: string, by: number][] = [];
    const result = await this.#store.write(
      (sql) =>
        fn(sql, (accountId, name, by = 1) => {
          prepared(sql, ADD).exec(accountId, name, by);
          counted.push([accountId, name, by]);
        }),
      urgency,
    );
    for (const [accountId, name, by] of counted) {
      this.#add(accountId, name, by);
      this.counted(accountId, name, by);
    }
    return result;
  }

  /** Removes what is left of accounts that are gone since before `olderThan`, steady ms. */
  async forgetGone(olderThan: number): Promise<void> {
    const gone = await this.#store.write((sql) => {
      const accountIds = takeGoneAccounts(sql, olderThan);
      for (const accountId of accountIds) prepared(sql, 'DELETE FROM counter WHERE account_id = ?').run(accountId);
      return accountIds;
    });
    for (const accountId of gone) this.#values.delete(accountId);
  }

  of(accountId: string): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#values.get(accountId) ?? []);
  }

  #add(accountId: string, name: string, by: number): void {
    let values = this.#values.get(accountId);
    if (!values) {
      values = new Map();
      this.#values.set(accountId, values);
    }
    values.set(name, (values.get(name) ?? 0) + by);
  }
}
