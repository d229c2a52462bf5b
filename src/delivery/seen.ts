import { prepared, type Sql } from '../store/index.js';

/**
 * Ids of inbound messages that were taken over, so that a network's redelivery is not a second message.
 * Networks are known to redeliver for up to a day (Telegram keeps updates 24 h, Feishu repeats after 6 h);
 * a week and a day also covers a consumer that was off over a holiday. A message's own TTL comes on top.
 */
export const SEEN_KEPT_MS = 8 * 24 * 3_600_000;

/** Rows deleted per transaction, so that a clean-up never holds up a message. */
const FORGET_BATCH = 1_000;

/**
 * Notes every id. @returns whether any of them was known before; then the message is a redelivery,
 * and its further ids are known from now on too.
 */
export function markSeen(sql: Sql, accountId: string, ids: readonly string[], now: number): boolean {
  const insert = prepared(
    sql,
    'INSERT INTO seen (account_id, dedup_key, seen_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  let known = false;
  for (const id of new Set(ids)) {
    if (insert.run(accountId, id, now).changes === 0) known = true;
  }
  return known;
}

/** Forgets ids noted before `olderThan`; @returns whether there may be more. */
export function forgetSeen(sql: Sql, olderThan: number): boolean {
  const text = `DELETE FROM seen WHERE (account_id, dedup_key) IN
    (SELECT account_id, dedup_key FROM seen WHERE seen_at < ? LIMIT ${String(FORGET_BATCH)})`;
  return prepared(sql, text).run(olderThan).changes === FORGET_BATCH;
}

export function forgetSeenOf(sql: Sql, accountId: string): void {
  prepared(sql, 'DELETE FROM seen WHERE account_id = ?').run(accountId);
}
