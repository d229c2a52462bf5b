import { wallTime, type Clock } from '../base/clock.js';
import type { Sql } from '../store/index.js';
import type { PendingFacts } from './delivery.js';
import { summarize } from './pending-body.js';
import { pendingAfter } from './pending-queue.js';

/** The oldest pending messages of an account, oldest first, as people see them. */
export function listPending(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  accountId: string,
  limit: number,
  hasEnded: (seq: number) => boolean,
): PendingFacts[] {
  const facts: PendingFacts[] = [];
  for (let after = 0; facts.length < limit;) {
    const rows = pendingAfter(sql, accountId, after, limit);
    const last = rows.at(-1);
    if (!last) break;
    after = last.seq;
    for (const row of rows) {
      if (hasEnded(row.seq) || !row.body || facts.length >= limit) continue;
      facts.push({
        messageId: row.messageId,
        ...summarize(row.body.message),
        receivedAt: wallTime(clock, row.receivedAt),
        expiresAt: wallTime(clock, row.expiresAt),
        attempts: row.attempts,
        lastError: row.lastError,
      });
    }
  }
  return facts;
}
