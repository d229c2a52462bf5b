import { prepared, type Sql, type Store } from '../store/index.js';
import type { DeliveryConfig } from './options.js';

/** Entries forgotten per transaction, so that a clean-up never holds up a message. */
const SWEEP_BATCH = 1_000;

/** Unfinished entries of a channel that newer finished ones may go before. */
const MAX_SPARED = 1_000;

/**
 * Keeps the ledger bounded: forgets what is older than `ledger.ttlMs`, then the oldest above `ledger.capacityPerChannel`, finished
 * entries first; a batch at a time, while `goOn` says so.
 */
export async function sweepLedger(
  store: Store,
  { ttlMs, capacityPerChannel }: DeliveryConfig['ledger'],
  now: number,
  rules: {
    /** Entries that are being worked on and must not go. */
    readonly isRunning: (channelId: string, entryId: string) => boolean;
    readonly goOn: () => boolean;
  },
): Promise<void> {
  const { isRunning, goOn } = rules;
  for (let after: number | undefined = 0; after !== undefined && goOn();) {
    const from: number = after;
    after = await store.write((sql) => removeExpired(sql, from, now - ttlMs, isRunning));
  }
  for (const { channel_id, n } of goOn() ? crowded(store.sql, capacityPerChannel) : []) {
    for (let excess = n - capacityPerChannel; excess > 0 && goOn();) {
      const batch = Math.min(excess, SWEEP_BATCH);
      const removed = await store.write((sql) => removeIdle(sql, oldest(sql, channel_id, batch), isRunning));
      if (removed === 0) break;
      excess -= removed;
    }
  }
}

interface RowColumns {
  readonly seq: number;
  readonly channel_id: string;
  readonly entry_id: string;
}

interface AgedColumns extends RowColumns {
  readonly created_at: number;
  readonly updated_at: number;
}

/** The next entries after `seq`, in the order in which they came. */
function inOrder(sql: Sql, seq: number): AgedColumns[] {
  const text = `SELECT seq, channel_id, entry_id, created_at, updated_at FROM ledger
    WHERE seq > ? ORDER BY seq LIMIT ${String(SWEEP_BATCH)}`;
  return prepared<AgedColumns>(sql, text).all(seq);
}

/** @returns after which entry to go on; undefined when all that follow are young */
function removeExpired(
  sql: Sql,
  after: number,
  time: number,
  isRunning: (channelId: string, entryId: string) => boolean,
): number | undefined {
  // All that follow the first young one came later, and were changed later still.
  const old = takeWhile(inOrder(sql, after), ({ created_at }) => created_at < time);
  removeIdle(
    sql,
    old.filter(({ updated_at }) => updated_at < time),
    isRunning,
  );
  return old.length === SWEEP_BATCH ? old.at(-1)?.seq : undefined;
}

/** Channels that have more entries than they may. */
function crowded(sql: Sql, capacity: number): { channel_id: string; n: number }[] {
  const text = 'SELECT channel_id, COUNT(*) AS n FROM ledger GROUP BY channel_id HAVING n > ?';
  return prepared<{ channel_id: string; n: number }>(sql, text).all(capacity);
}

/**
 * Those to go first of a channel: the oldest finished ones. Which rows are the oldest is answered by the index of keys alone;
 * only a few more of them than asked for are then looked at.
 */
function oldest(sql: Sql, channelId: string, limit: number): RowColumns[] {
  const text = `SELECT seq, channel_id, entry_id, state IN ('completed', 'rejected') AS finished FROM ledger
    WHERE seq IN (SELECT seq FROM ledger WHERE channel_id = ? ORDER BY seq LIMIT ?) ORDER BY seq`;
  const rows = prepared<RowColumns & { finished: number }>(sql, text).all(channelId, limit + MAX_SPARED);
  const finished = rows.filter((row) => row.finished === 1);
  return [...finished, ...rows.filter((row) => row.finished === 0)].slice(0, limit);
}

/** @returns how many of them are gone; what is being worked on is not */
function removeIdle(
  sql: Sql,
  rows: readonly RowColumns[],
  isRunning: (channelId: string, entryId: string) => boolean,
): number {
  const idle = rows.filter(({ channel_id, entry_id }) => !isRunning(channel_id, entry_id));
  for (const { seq } of idle) prepared(sql, 'DELETE FROM ledger WHERE seq = ?').exec(seq);
  return idle.length;
}

function takeWhile<T>(items: readonly T[], test: (item: T) => boolean): readonly T[] {
  const end = items.findIndex((item) => !test(item));
  return end < 0 ? items : items.slice(0, end);
}
