import type { FileType } from '../protocol/index.js';
import { prepared, type Sql } from '../store/index.js';
import type { StoredFile } from './file-store.js';

const FILE_TYPES: readonly FileType[] = ['image', 'video', 'audio', 'file'];

/** The `file` table. */
interface Row {
  file_ref: string;
  card_id: string;
  channel_id: string | null;
  account_id: string | null;
  file_type: string;
  filename: string;
  mime_type: string;
  byte_size: number;
  sha256: string;
  created_at: number;
  expires_at: number;
}

/** What is needed to take a file out of the books and off the disk. */
export interface RemovedRow {
  readonly file_ref: string;
  readonly byte_size: number;
}

export function insertFile(sql: Sql, file: Omit<StoredFile, 'path'>): void {
  prepared(
    sql,
    `INSERT INTO file (file_ref, card_id, channel_id, account_id, file_type, filename, mime_type, byte_size, sha256, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    file.fileRef,
    file.cardId,
    file.channelId ?? null,
    file.accountId ?? null,
    file.fileType,
    file.filename,
    file.mimeType,
    file.byteSize,
    file.sha256,
    file.createdAt,
    file.expiresAt,
  );
}

/** The file of `fileRef`, unless it is unknown or its time was over at `now`. */
export function findFile(sql: Sql, fileRef: string, now: number): Omit<StoredFile, 'path'> | undefined {
  const row = prepared<Row>(sql, 'SELECT * FROM file WHERE file_ref = ? AND expires_at > ?').get(fileRef, now);
  if (!row) return undefined;
  return {
    fileRef: row.file_ref,
    cardId: row.card_id,
    channelId: row.channel_id ?? undefined,
    accountId: row.account_id ?? undefined,
    fileType: FILE_TYPES.find((type) => type === row.file_type) ?? 'file',
    filename: row.filename,
    mimeType: row.mime_type,
    byteSize: row.byte_size,
    sha256: row.sha256,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

/** Moves the end of a file's time to `until`, never nearer; a file whose time was over at `now` stays as it is. */
export function postponeExpiry(sql: Sql, fileRef: string, now: number, until: number): void {
  const text = 'UPDATE file SET expires_at = max(expires_at, ?) WHERE file_ref = ? AND expires_at > ?';
  prepared(sql, text).run(until, fileRef, now);
}

export function usage(sql: Sql): { bytes: number; files: number } {
  const row = prepared<{ bytes: number; files: number }>(
    sql,
    'SELECT coalesce(sum(byte_size), 0) AS bytes, count(*) AS files FROM file',
  ).get();
  return row ?? { bytes: 0, files: 0 };
}

export function allFiles(sql: Sql): string[] {
  return prepared<{ file_ref: string }>(sql, 'SELECT file_ref FROM file')
    .all()
    .map((row) => row.file_ref);
}

export function hasExpired(sql: Sql, now: number): boolean {
  return prepared(sql, 'SELECT 1 FROM file WHERE expires_at <= ? LIMIT 1').get(now) !== undefined;
}

export function deleteExpired(sql: Sql, now: number): RemovedRow[] {
  return prepared<RemovedRow>(sql, 'DELETE FROM file WHERE expires_at <= ? RETURNING file_ref, byte_size').all(now);
}

export function deleteOfChannel(sql: Sql, channelId: string): RemovedRow[] {
  return prepared<RemovedRow>(sql, 'DELETE FROM file WHERE channel_id = ? RETURNING file_ref, byte_size').all(
    channelId,
  );
}

export function deleteOfAccount(sql: Sql, accountId: string): RemovedRow[] {
  return prepared<RemovedRow>(sql, 'DELETE FROM file WHERE account_id = ? RETURNING file_ref, byte_size').all(
    accountId,
  );
}

export function deleteFile(sql: Sql, fileRef: string): RemovedRow[] {
  return prepared<RemovedRow>(sql, 'DELETE FROM file WHERE file_ref = ? RETURNING file_ref, byte_size').all(fileRef);
}
