import { prepared } from './statements.js';
import type { Sql } from './store.js';

/** What a network's consumer must not forget between two polls, under its name: a cursor, tokens of a conversation. */
export type ConsumerState = Readonly<Record<string, string | null>>;

export function readConsumerState(sql: Sql, consumer: string, key: string): string | undefined {
  const text = 'SELECT value FROM consumer_state WHERE consumer = ? AND key = ?';
  return prepared<{ value: string }>(sql, text).get(consumer, key)?.value;
}

/** Inside a transaction: sets the values given, removes those that are null, and leaves all others as they are. */
export function putConsumerState(sql: Sql, consumer: string, state: ConsumerState): void {
  const put = `INSERT INTO consumer_state (consumer, key, value) VALUES (?, ?, ?)
    ON CONFLICT (consumer, key) DO UPDATE SET value = excluded.value`;
  const remove = 'DELETE FROM consumer_state WHERE consumer = ? AND key = ?';
  for (const [key, value] of Object.entries(state)) {
    if (value === null) prepared(sql, remove).exec(consumer, key);
    else prepared(sql, put).exec(consumer, key, value);
  }
}
