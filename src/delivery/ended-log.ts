import { wallTime, type Clock } from '../base/clock.js';
import { prepared, type Sql } from '../store/index.js';
import type { EndedFacts, HeldFacts } from './delivery.js';
import { decodeSummary, encodeSummary, summarize, type MessageSummary } from './pending-body.js';
import type { PendingRow } from './pending-queue.js';

/**
 * How messages ended other than by delivery, for the window and for "where did my message go". Of what people wrote the beginning
 * is kept, because what was never delivered need not lie on the disk in full; of what agents wrote, nothing.
 */

interface Columns {
  readonly message_id: string;
  readonly outcome: string;
  readonly reason: string;
  readonly body: string;
  readonly received_at: number;
  readonly attempts: number;
  readonly ended_at: number;
  readonly direction: string;
}

/** Entries kept per account; enough to see what happened, bounded by design. */
export const ENDED_KEPT = 200;

/**
 * How long an ending is kept, milliseconds: who comes back after a week's absence still finds it, and then the person's words
 * are gone from the disk, also those of an account that signed out. Counters of such an account go with them.
 */
export const ENDED_KEPT_MS = 7 * 24 * 3_600_000;

export type EndedOutcome = EndedFacts['outcome'];

export interface Ending {
  readonly outcome: EndedOutcome;
  readonly reason: string;
  readonly endedAt: number;
}

/** A message of a person. */
export function insertEnded(sql: Sql, row: PendingRow, outcome: EndedOutcome, reason: string, endedAt: number): void {
  const summary = row.body ? summarize(row.body.message) : UNREADABLE;
  insert(sql, { ...row, summary, direction: 'inbound' }, { outcome, reason, endedAt });
}

/** A message of an agent that was held. */
export function insertEndedReply(
  sql: Sql,
  reply: { accountId: string; facts: Pick<HeldFacts, 'messageId' | 'kind' | 'length' | 'heldAt'> },
  ending: Ending,
): void {
  const { accountId, facts } = reply;
  const { messageId, kind, length, heldAt } = facts;
  const summary = { kind, length, preview: '' };
  insert(sql, { accountId, messageId, receivedAt: heldAt, attempts: 0, summary, direction: 'outbound' }, ending);
}

interface EndedMessage extends Pick<EndedFacts, 'messageId' | 'receivedAt' | 'attempts' | 'direction'> {
  readonly accountId: string;
  readonly summary: MessageSummary;
}

function insert(sql: Sql, message: EndedMessage, { outcome, reason, endedAt }: Ending): void {
  const text = `INSERT INTO ended
    (account_id, message_id, outcome, reason, body, received_at, attempts, ended_at, direction)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
  const { accountId, messageId, summary, receivedAt, attempts, direction } = message;
  const body = encodeSummary(summary);
  prepared(sql, text).run(accountId, messageId, outcome, reason, body, receivedAt, attempts, endedAt, direction);
}

/** The newest endings of an account, newest first. */
export function listEnded(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  accountId: string,
  limit: number,
): EndedFacts[] {
  const text = `SELECT message_id, outcome, reason, body, received_at, attempts, ended_at, direction
    FROM ended WHERE account_id = ? ORDER BY seq DESC LIMIT ?`;
  return prepared<Columns>(sql, text)
    .all(accountId, limit)
    .map((row) => ({
      messageId: row.message_id,
      ...decodeSummary(row.body),
      receivedAt: wallTime(clock, row.received_at),
      attempts: row.attempts,
      direction: row.direction === 'outbound' ? 'outbound' : 'inbound',
      outcome: outcomeOf(row.outcome),
      reason: row.reason,
      endedAt: wallTime(clock, row.ended_at),
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
