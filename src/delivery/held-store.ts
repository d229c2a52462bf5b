import { parseJson } from '../base/parse-json.js';
import { prepared, type Sql } from '../store/index.js';
import { isRecord } from '../targets/json-fields.js';
import { codePointLength } from './characters.js';
import type { HeldFacts, OutboundRequest } from './delivery.js';
import { contentHashOf, entryIdOf, isRememberedFile, type LedgerEntry, type RememberedFile } from './ledger.js';

/** A message of an agent that waits until its network takes replies again. Its progress is its ledger entry's. */
export interface HeldReply extends Pick<LedgerEntry, 'channelId' | 'entryId' | 'contentHash'> {
  readonly accountId: string;
  readonly text: string;
  readonly files: readonly RememberedFile[];
  /** What it waits for: stable code. */
  readonly code: string;
  /** Steady ms. */
  readonly heldAt: number;
  readonly expiresAt: number;
}

interface Columns {
  readonly channel_id: string;
  readonly entry_id: string;
  readonly account_id: string;
  readonly body: string;
  readonly reason: string;
  readonly held_at: number;
  readonly expires_at: number;
}

const COLUMNS = 'channel_id, entry_id, account_id, body, reason, held_at, expires_at';

export function heldReply(
  request: OutboundRequest,
  files: readonly RememberedFile[],
  wait: Pick<HeldReply, 'code' | 'heldAt' | 'expiresAt'>,
): HeldReply {
  const { channelId, accountId, text } = request;
  return {
    channelId,
    accountId,
    text,
    files,
    entryId: entryIdOf(request),
    contentHash: contentHashOf(request),
    ...wait,
  };
}

export function insertHeld(sql: Sql, reply: HeldReply): void {
  const text = `INSERT INTO held (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`;
  const body = JSON.stringify({ text: reply.text, files: reply.files });
  const { channelId, entryId, accountId, code, heldAt, expiresAt } = reply;
  prepared(sql, text).run(channelId, entryId, accountId, body, code, heldAt, expiresAt);
}

/** Everything that waits, oldest first; of what can't be read any more, that it was there. */
export function allHeld(sql: Sql): (HeldReply & { readonly isDamaged: boolean })[] {
  return prepared<Columns>(sql, `SELECT ${COLUMNS} FROM held ORDER BY seq`).all().map(toReply);
}

/** What people see of it, its times still steady ones. */
export function factsOf({ entryId, text, files, heldAt, expiresAt, code }: HeldReply): HeldFacts {
  return {
    messageId: entryId.slice(entryId.indexOf(':') + 1),
    origin: isAnswer({ entryId }) ? 'answer' : 'tool',
    kind: kindOf(files[0]?.fileType),
    length: codePointLength(text),
    heldAt,
    expiresAt,
    code,
  };
}

/** Whether it is a final message, which has an acknowledgment, and no tool call. */
export function isAnswer({ entryId }: Pick<HeldReply, 'entryId'>): boolean {
  return entryId.startsWith('m:');
}

const FILE_KINDS = ['image', 'video', 'audio', 'file'] as const;

function kindOf(fileType: string | undefined): HeldFacts['kind'] {
  if (fileType === undefined) return 'text';
  return FILE_KINDS.find((kind) => kind === fileType) ?? 'file';
}

function toReply(row: Columns): HeldReply & { readonly isDamaged: boolean } {
  const body = contentOf(parseJson(row.body));
  const { text, files } = body ?? { text: '', files: [] };
  return {
    channelId: row.channel_id,
    entryId: row.entry_id,
    accountId: row.account_id,
    contentHash: contentHashOf({ text, files }),
    text,
    files,
    code: row.reason,
    heldAt: row.held_at,
    expiresAt: row.expires_at,
    isDamaged: body === undefined,
  };
}

function contentOf(value: unknown): Pick<HeldReply, 'text' | 'files'> | undefined {
  if (!isRecord(value)) return undefined;
  const { text, files } = value;
  if (typeof text !== 'string' || !Array.isArray(files) || !files.every(isRememberedFile)) return undefined;
  return { text, files };
}
