import { prepared, type Sql } from '../store/index.js';
import { ENDED_KEPT, insertEnded } from './ended-log.js';
import { pendingAfter, removeAllPending } from './pending-queue.js';
import { forgetSeenOf } from './seen.js';

const PAGE = 200;

/**
 * Ends everything inbound of a signed-out account, within the running write.
 * @param hasEnded rows that ended otherwise and are only not removed yet
 * @returns how many messages ended by this
 */
export function forgetInbound(
  sql: Sql,
  accountId: string,
  reason: string,
  now: number,
  hasEnded: (seq: number) => boolean,
): number {
  let discarded = 0;
  // Only the newest are listed, as everywhere; the count says how many there were.
  let kept: ReturnType<typeof pendingAfter> = [];
  for (let after = 0; ;) {
    const rows = pendingAfter(sql, accountId, after, PAGE);
    const own = rows.filter((row) => !hasEnded(row.seq));
    discarded += own.length;
    kept = [...kept, ...own].slice(-ENDED_KEPT);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) break;
    after = last.seq;
  }
  for (const row of kept) insertEnded(sql, row, 'discarded', reason, now);
  removeAllPending(sql, accountId);
  forgetSeenOf(sql, accountId);
  return discarded;
}

/** Accounts that are gone and still have messages, because the program ended or the disk refused before those could end too. */
export function goneWithMessages(sql: Sql): string[] {
  const text = `SELECT account_id FROM gone_account AS gone
    WHERE EXISTS (SELECT 1 FROM pending WHERE account_id = gone.account_id)
      OR EXISTS (SELECT 1 FROM held WHERE account_id = gone.account_id)`;
  return prepared<{ account_id: string }>(sql, text)
    .all()
    .map((row) => row.account_id);
}
