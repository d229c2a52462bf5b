import { prepared, type Sql } from '../store/index.js';
import type { InboundMessage } from '../targets/target.js';
import { decodeBody, encodeBody, type PendingBody } from './pending-body.js';

/**
 * The table of inbound messages that wait for their acknowledgment, oldest first by `seq`.
 * Functions taking a row's values write and belong inside `store.write`; the others read committed rows.
 */
export interface PendingRow {
  readonly seq: number;
  readonly accountId: string;
  readonly messageId: string;
  /** Set while further parts of an album may still join. */
  readonly mergeKey: string | undefined;
  /** Undefined when the stored text can't be read any more. */
  readonly body: PendingBody | undefined;
  readonly holdUntil: number;
  readonly receivedAt: number;
  readonly expiresAt: number;
  attempts: number;
  lastError: string | undefined;
}

/** Which row: an account's queue, and the place in it. */
export type PendingKey = Pick<PendingRow, 'accountId' | 'seq'>;

/**
 * Gives each row its place: later than every row before it, and never one that another row had in this run, because who still
 * works on a row that is gone must not meet its successor.
 */
export class PendingSequence {
  #last: number;

  constructor(sql: Sql) {
    const text = 'SELECT COALESCE(MAX(seq), 0) AS last FROM pending';
    this.#last = prepared<{ last: number }>(sql, text).get()?.last ?? 0;
  }

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

/**
 * How far back a part looks for the album it belongs to. Parts arrive next to each other; without a bound,
 * a part that matches nothing would read the whole backlog.
 */
const MERGE_LOOKBACK = 200;

/** An album is held this long at most, also when the system clock was set back meanwhile. */
export const HOLD_MAX_MS = 10_000;

/** Milliseconds until an album is complete. */
export function holdLeft(row: Pick<PendingRow, 'holdUntil'>, now: number): number {
  return Math.min(Math.max(row.holdUntil - now, 0), HOLD_MAX_MS);
}

/** No part joins it any more, and nothing of it is still being fetched: it stays as it was written. */
export function isComplete({ mergeKey, body }: Pick<PendingRow, 'mergeKey' | 'body'>): boolean {
  return mergeKey === undefined && body?.files.every((outcome) => outcome !== null) === true;
}

interface Columns {
  readonly seq: number;
  readonly account_id: string;
  readonly message_id: string;
  readonly merge_key: string | null;
  readonly body: string;
  readonly hold_until: number;
  readonly received_at: number;
  readonly expires_at: number;
  readonly attempts: number;
  readonly last_error: string | null;
}

const COLUMNS =
  'seq, account_id, message_id, merge_key, body, hold_until, received_at, expires_at, attempts, last_error';

// ------------------------------------------------------------------ reads

/** Accounts that have messages pending. */
export function accountsWithPending(sql: Sql): string[] {
  const text = 'SELECT DISTINCT account_id FROM pending';
  return prepared<{ account_id: string }>(sql, text)
    .all()
    .map((row) => row.account_id);
}

export function pendingCount(sql: Sql, accountId: string): { count: number; lastSeq: number } {
  const text = 'SELECT COUNT(*) AS n, COALESCE(MAX(seq), 0) AS last FROM pending WHERE account_id = ?';
  const row = prepared<{ n: number; last: number }>(sql, text).get(accountId);
  return { count: row?.n ?? 0, lastSeq: row?.last ?? 0 };
}

/** The next rows of an account after `seq`, oldest first. */
export function pendingAfter(sql: Sql, accountId: string, seq: number, limit: number): PendingRow[] {
  const text = `SELECT ${COLUMNS} FROM pending WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?`;
  return prepared<Columns>(sql, text).all(accountId, seq, limit).map(toRow);
}

export function pendingBySeq(sql: Sql, { accountId, seq }: PendingKey): PendingRow | undefined {
  const text = `SELECT ${COLUMNS} FROM pending WHERE account_id = ? AND seq = ?`;
  const row = prepared<Columns>(sql, text).get(accountId, seq);
  return row === undefined ? undefined : toRow(row);
}

export function pendingByMessageId(sql: Sql, accountId: string, messageId: string): PendingRow | undefined {
  const text = `SELECT ${COLUMNS} FROM pending WHERE account_id = ? AND message_id = ?`;
  const row = prepared<Columns>(sql, text).get(accountId, messageId);
  return row === undefined ? undefined : toRow(row);
}

/** Rows of an account whose time is over, oldest first. Reads the whole queue where there are fewer than `limit`. */
export function pendingExpired(sql: Sql, accountId: string, now: number, limit: number): PendingRow[] {
  const text = `SELECT ${COLUMNS} FROM pending WHERE account_id = ? AND expires_at <= ? ORDER BY seq LIMIT ?`;
  return prepared<Columns>(sql, text).all(accountId, now, limit).map(toRow);
}

/** Rows of one account that carry attachments, oldest first: what a restart has to go on fetching. */
export function pendingWithAttachments(sql: Sql, accountId: string): number[] {
  const text = `SELECT seq FROM pending WHERE account_id = ? AND json_valid(body)
    AND json_array_length(body, '$.message.attachments') > 0 ORDER BY seq`;
  return prepared<{ seq: number }>(sql, text)
    .all(accountId)
    .map((row) => row.seq);
}

// ------------------------------------------------------------------ writes

export interface NewPending {
  readonly seq: number;
  readonly accountId: string;
  readonly message: InboundMessage;
  readonly body: PendingBody;
  readonly holdUntil: number;
  readonly receivedAt: number;
  readonly expiresAt: number;
}

/** @returns the new row, or undefined when this message id is pending already */
export function insertPending(sql: Sql, row: NewPending): PendingRow | undefined {
  const text = `INSERT INTO pending (account_id, seq, message_id, merge_key, body, hold_until, received_at, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, message_id) DO NOTHING`;
  const { seq, accountId, message, body, holdUntil, receivedAt, expiresAt } = row;
  const result = prepared(sql, text).run(
    accountId,
    seq,
    message.id,
    message.mergeKey ?? null,
    encodeBody(body),
    holdUntil,
    receivedAt,
    expiresAt,
  );
  if (result.changes === 0) return undefined;
  return {
    seq,
    accountId,
    messageId: message.id,
    mergeKey: message.mergeKey,
    body,
    holdUntil,
    receivedAt,
    expiresAt,
    attempts: 0,
    lastError: undefined,
  };
}

/** The album a part may still join: same key, its hold not over, not sealed for its first offer. */
export function findMergeable(sql: Sql, accountId: string, mergeKey: string, now: number): PendingRow | undefined {
  const text = `SELECT ${COLUMNS} FROM
    (SELECT * FROM pending WHERE account_id = ? ORDER BY seq DESC LIMIT ${String(MERGE_LOOKBACK)})
    WHERE merge_key = ? AND hold_until > ? ORDER BY seq DESC LIMIT 1`;
  const row = prepared<Columns>(sql, text).get(accountId, mergeKey, now);
  return row === undefined ? undefined : toRow(row);
}

export function replaceBody(sql: Sql, { accountId, seq }: PendingKey, body: PendingBody): void {
  const text = 'UPDATE pending SET body = ? WHERE account_id = ? AND seq = ?';
  prepared(sql, text).exec(encodeBody(body), accountId, seq);
}

/**
 * Closes an album before its first offer. Writes run one after the other, so every part that joined is in the row
 * that comes back, and no later part can join.
 */
export function sealPending(sql: Sql, key: PendingKey): PendingRow | undefined {
  prepared(sql, 'UPDATE pending SET merge_key = NULL WHERE account_id = ? AND seq = ?').exec(key.accountId, key.seq);
  return pendingBySeq(sql, key);
}

export function recordAttempt(sql: Sql, row: PendingRow, lastError: string): void {
  const text = 'UPDATE pending SET attempts = ?, last_error = ? WHERE account_id = ? AND seq = ?';
  prepared(sql, text).exec(row.attempts, lastError, row.accountId, row.seq);
}

export function removePending(sql: Sql, { accountId, seq }: PendingKey): void {
  prepared(sql, 'DELETE FROM pending WHERE account_id = ? AND seq = ?').exec(accountId, seq);
}

export function removeAllPending(sql: Sql, accountId: string): number {
  return prepared(sql, 'DELETE FROM pending WHERE account_id = ?').run(accountId).changes;
}

function toRow(row: Columns): PendingRow {
  return {
    seq: row.seq,
    accountId: row.account_id,
    messageId: row.message_id,
    mergeKey: row.merge_key ?? undefined,
    body: decodeBody(row.body),
    holdUntil: row.hold_until,
    receivedAt: row.received_at,
    expiresAt: row.expires_at,
    attempts: row.attempts,
    lastError: row.last_error ?? undefined,
  };
}
