import { prepared } from '../store/statements.js';
import type { Sql } from '../store/store.js';

/** One row of table `channel`. A channel gets its row with its first account; before, it lives only as long as its route. */
export interface ChannelRow {
  readonly channelId: string;
  readonly accountId: string | undefined;
  readonly createdAt: number;
}

/** All stored channels of a card. */
export function readChannels(sql: Sql, cardId: string): ChannelRow[] {
  return prepared<{ channel_id: string; account_id: string | null; created_at: number }>(
    sql,
    'SELECT channel_id, account_id, created_at FROM channel WHERE card_id = ? ORDER BY created_at, channel_id',
  )
    .all(cardId)
    .map((row) => ({ channelId: row.channel_id, accountId: row.account_id ?? undefined, createdAt: row.created_at }));
}

/** Inside a transaction: leads a channel to an account, which leaves the channel it was on. */
export function bindChannel(sql: Sql, cardId: string, channelId: string, accountId: string, createdAt: number): void {
  unbindAccount(sql, accountId);
  prepared(
    sql,
    `INSERT INTO channel (channel_id, card_id, account_id, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (channel_id) DO UPDATE SET account_id = excluded.account_id`,
  ).run(channelId, cardId, accountId, createdAt);
}

/** Inside a transaction: the account's channel stays, as `created`, without it. */
export function unbindAccount(sql: Sql, accountId: string): void {
  prepared(sql, 'UPDATE channel SET account_id = NULL WHERE account_id = ?').run(accountId);
}

export function deleteChannel(sql: Sql, channelId: string): void {
  prepared(sql, 'DELETE FROM channel WHERE channel_id = ?').run(channelId);
}
