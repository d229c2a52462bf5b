import { prepared, type Sql } from '../store/index.js';
import type { EndedFacts } from './delivery.js';
import { decodeSummary, encodeSummary, summarize, type MessageSummary } from './pending-body.js';
import type { PendingRow } from './pending-queue.js';

/**
 * How inbound messages ended other than by delivery, for the window and for "where did my message go".
 * Only the beginning of a text is kept: what was never delivered need not lie on the disk in full.
 */

interface Columns {
  readonly message_id: string;
  readonly outcome: string;
  readonly reason: string;
  readonly body: string;
  readonly received_at: number;
  readonly attempts: number;
  readonly ended_at: number;
}

/** Entries kept per account; enough to see what happened, bounded by design. */
export const ENDED_KEPT = 200;

/**
 * How long an ending is kept, milliseconds: who comes back after a week's absence still finds it, and then the person's words
 * are gone from the disk, also those of an account that signed out. Counters of such an account go with them.
 */
export const ENDED_KEPT_MS = 7 * 24 * 3_600_000;

export type EndedOutcome = EndedFacts['outcome'];

export function insertEnded(sql: Sql, row: PendingRow, outcome: EndedOutcome, reason: string, endedAt: number): void {
  const text = `INSERT INTO ended (account_id, message_id, outcome, reason, body, received_at, attempts, ended_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
  const body = encodeSummary(row.body ? summarize(row.body.message) : UNREADABLE);
  prepared(sql, text).run(row.accountId, row.messageId, outcome, reason, body, row.receivedAt, row.attempts, endedAt);
}

/** The newest endings of an account, newest first. */
export function listEnded(sql: Sql, accountId: string, limit: number): EndedFacts[] {
  const text = `SELECT message_id, outcome, reason, body, received_at, attempts, ended_at
    FROM ended WHERE account_id = ? ORDER BY seq DESC LIMIT ?`;
  return prepared<Columns>(sql, text)
    .all(accountId, limit)
    .map((row) => ({
      messageId: row.message_id,
      ...decodeSummary(row.body),
      receivedAt: row.received_at,
      attempts: row.attempts,
      outcome: outcomeOf(row.outcome),
      reason: row.reason,
      endedAt: row.ended_at,
    }));
}

/** How one message ended, while that is kept. */
export function endingOf(sql: Sql, accountId: string, messageId: string): EndedOutcome | undefined {
  const text = 'SELECT outcome FROM ended WHERE account_id = ? AND message_id = ? ORDER BY seq DESC LIMIT 1';
  const row = prepared<{ outcome: string }>(sql, text).get(accountId, messageId);
  return row && outcomeOf(row.outcome);
}

/** Keeps the newest {@link ENDED_KEPT} of every account, none older than {@link ENDED_KEPT_MS}. */
export function trimEnded(sql: Sql, now: number): void {
  prepared(sql, 'DELETE FROM ended WHERE ended_at < ?').run(now - ENDED_KEPT_MS);
  const crowded = `SELECT account_id FROM ended GROUP BY account_id HAVING COUNT(*) > ${String(ENDED_KEPT)}`;
  const text = `DELETE FROM ended WHERE account_id = ? AND seq <=
    (SELECT seq FROM ended WHERE account_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ${String(ENDED_KEPT)})`;
  for (const row of prepared<{ account_id: string }>(sql, crowded).all()) {
    prepared(sql, text).run(row.account_id, row.account_id);
  }
}

const UNREADABLE: MessageSummary = { kind: 'text', length: 0, preview: '' };

const OUTCOMES: readonly EndedOutcome[] = ['rejected', 'expired', 'evicted', 'discarded'];

function outcomeOf(value: string): EndedOutcome {
  return OUTCOMES.find((outcome) => outcome === value) ?? 'discarded';
}
