import { createHash } from 'node:crypto';
import type { Logger } from '../base/logger.js';
import { parseJson } from '../base/parse-json.js';
import { prepared, type Sql, type Store } from '../store/index.js';
import { StoreError } from '../store/index.js';
import type { StoredFile } from '../files/file-store.js';
import { fieldsOf } from '../targets/json-fields.js';
import type { TargetSession } from '../targets/target.js';
import type { Count, Counters } from './counters.js';
import type { OutboundRequest } from './delivery.js';
import type { WriteBehind } from './write-behind.js';

/**
 * What became of every outbound message and side-effecting tool call, kept past its acknowledgment (IM Profile v2 section 9).
 *
 * - `streaming`: a preview is visible at the network, the final has not come.
 * - `sending`: `partsSent` parts are surely there; a repeat goes on after them. While the message is held, so do we.
 * - `completed`, `rejected`: final, answered again without calling the network.
 * - `unknown`: a part may or may not be there; never sent again unless the network makes repeats safe.
 */
export interface LedgerEntry {
  readonly channelId: string;
  readonly entryId: string;
  /** Empty while `streaming`. */
  readonly contentHash: string;
  readonly state: 'streaming' | 'sending' | 'completed' | 'rejected' | 'unknown';
  readonly partsSent: number;
  /** A part is at the network under a call that may not be repeated, and its outcome is not recorded. */
  readonly inDoubt: boolean;
  readonly detail: LedgerDetail;
}

export interface LedgerDetail {
  readonly accountId: string;
  /** The network's ids of the parts sent so far. */
  readonly messageIds: readonly string[];
  /** Handle of the visible preview that the first part replaces. */
  readonly stream?: string;
  /** Since when the part that is in doubt may be at the network, steady ms. */
  readonly doubtSince?: number;
  readonly refusal?: { readonly code: string; readonly message: string };
  /** The files of the message as it came last; absent without any. They may be gone from the file store. */
  readonly files?: readonly RememberedFile[];
}

/** Which file a ref stood for: what of it {@link contentHashOf} needs. */
export type RememberedFile = Pick<StoredFile, 'fileRef' | 'sha256'> & { readonly fileType: string };

interface Columns {
  readonly channel_id: string;
  readonly entry_id: string;
  readonly content_hash: string;
  readonly state: string;
  readonly parts_sent: number;
  readonly in_doubt: number;
  readonly detail: string;
}

const COLUMNS = 'channel_id, entry_id, content_hash, state, parts_sent, in_doubt, detail';

const FIND = `SELECT ${COLUMNS} FROM ledger WHERE channel_id = ? AND entry_id = ?`;

/** As many as may be under way at once on a few sockets; they are forgotten together, and then looked up again. */
const MAX_ABSENT = 4096;

/** Kinds live side by side under one channel without meeting. */
export function entryIdOf(request: Pick<OutboundRequest, 'kind' | 'id'>): string {
  return `${request.kind === 'message' ? 'm' : 't'}:${request.id}`;
}

/**
 * Names a message's content: its text, and kind and bytes of its files in order. Not the refs, because who uploads the same
 * file again before a redelivery gets another ref for it.
 */
export function contentHashOf(request: {
  readonly text: string;
  readonly files: readonly Pick<RememberedFile, 'fileType' | 'sha256'>[];
}): string {
  const files = request.files.map((file) => [file.fileType, file.sha256]);
  return createHash('sha256')
    .update(JSON.stringify([request.text, files]))
    .digest('base64url');
}

/** What an entry is kept under in memory. */
export function keyOf(channelId: string, entryId: string): string {
  return `${channelId} ${entryId}`;
}

/** The entry of a message that is refused for good. */
export function refusedEntry(entry: LedgerEntry, refusal: { code: string; message: string }): LedgerEntry {
  return { ...entry, state: 'rejected', detail: { ...entry.detail, refusal } };
}

/** The key a part is sent under: the same for every repeat of it, at most 32 characters, safe in any network's field. */
export function partKeyOf(entry: Pick<LedgerEntry, 'channelId' | 'entryId'>, part: number): string {
  return createHash('sha256')
    .update(JSON.stringify([entry.channelId, entry.entryId, part]))
    .digest('base64url')
    .slice(0, PART_KEY_LENGTH);
}

const PART_KEY_LENGTH = 32;

/** Whether a part in doubt may be repeated under its key. */
export function mayRepeat(
  { detail: { doubtSince } }: LedgerEntry,
  session: Pick<TargetSession, 'idempotentSends' | 'idempotentForMs'>,
  now: number,
): boolean {
  const { idempotentSends, idempotentForMs } = session;
  if (!idempotentSends || idempotentForMs === undefined) return idempotentSends;
  return doubtSince !== undefined && now - doubtSince < idempotentForMs;
}

export class Ledger {
  readonly #store: Store;
  readonly #counters: Counters;
  readonly #writeBehind: WriteBehind;
  readonly #now: () => number;
  readonly #log: Logger;
  /** What is known but not on disk yet, because the disk refused it. */
  readonly #unsaved = new Map<string, LedgerEntry>();
  /** Of these, the ones in whose place a write under way puts a later state. */
  readonly #overtaken = new Set<LedgerEntry>();
  /** Keys that were looked up and have no entry: a new message is looked up at each of its steps. */
  readonly #absent = new Set<string>();

  constructor(deps: { store: Store; counters: Counters; writeBehind: WriteBehind; now: () => number; log: Logger }) {
    this.#store = deps.store;
    this.#counters = deps.counters;
    this.#writeBehind = deps.writeBehind;
    this.#now = deps.now;
    this.#log = deps.log;
  }

  find(channelId: string, entryId: string): LedgerEntry | undefined {
    const key = keyOf(channelId, entryId);
    const unsaved = this.#unsaved.get(key);
    if (unsaved) return unsaved;
    if (this.#absent.has(key)) return undefined;
    const row = prepared<Columns>(this.#store.sql, FIND).get(channelId, entryId);
    if (row) return this.#read(row);
    if (this.#absent.size >= MAX_ABSENT) this.#absent.clear();
    this.#absent.add(key);
    return undefined;
  }

  /**
   * Durable when it resolves, with the counter that each of the entries changes, and whatever else belongs to them.
   * @throws StoreError
   */
  async save(entries: OneOrMore, counter?: string, also?: (sql: Sql) => void): Promise<void> {
    await this.#overtake((sql, count) => {
      const all = listOf(entries);
      for (const entry of all) {
        this.#put(sql, entry);
        if (counter !== undefined) count(entry.detail.accountId, counter);
      }
      also?.(sql);
      return all;
    });
  }

  /** Saves what has happened already: known at once, on disk as soon as the disk takes it. */
  async record(entries: OneOrMore, counter?: string): Promise<void> {
    try {
      await this.save(entries, counter);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      for (const entry of listOf(entries)) this.#recordLater(entry, counter);
    }
  }

  #recordLater(entry: LedgerEntry, counter: string | undefined): void {
    const key = keyOf(entry.channelId, entry.entryId);
    this.#unsaved.set(key, entry);
    void this.#writeBehind.run(async () => {
      // A later state of the same entry may have been saved meanwhile; the count is still owed.
      await this.#counters.write((sql, count) => {
        if (this.#unsaved.get(key) === entry && !this.#overtaken.has(entry)) this.#put(sql, entry);
        if (counter !== undefined) count(entry.detail.accountId, counter);
      });
      if (this.#unsaved.get(key) === entry) this.#unsaved.delete(key);
    });
  }

  /**
   * What an earlier run of the program left in doubt of an account. Whether a repeat resolves it is for the account's session
   * to say: see {@link doubt}.
   */
  inDoubtOf(accountId: string): LedgerEntry[] {
    const text = `SELECT ${COLUMNS} FROM ledger WHERE state = 'sending' AND in_doubt = 1`;
    return prepared<Columns>(this.#store.sql, text)
      .all()
      .map((row) => this.#read(row))
      .filter(({ detail }) => detail.accountId === accountId);
  }

  /** It stays unknown whether this is at the network: written down and counted, once however often it is asked for. */
  async doubt({ channelId, entryId }: Pick<LedgerEntry, 'channelId' | 'entryId'>): Promise<void> {
    await this.#writeBehind.run(() =>
      this.#overtake((sql, count) => {
        const entry = this.find(channelId, entryId);
        if (entry?.state !== 'sending' || !entry.inDoubt) return [];
        const unknown: LedgerEntry = { ...entry, state: 'unknown' };
        this.#put(sql, unknown);
        count(entry.detail.accountId, 'in_doubt');
        return [unknown];
      }),
    );
  }

  /** A write that replaces, or removes, what was not on disk yet of the entries it gives. @throws StoreError; nothing is replaced then */
  async #overtake(write: (sql: Sql, count: Count) => readonly LedgerEntry[]): Promise<void> {
    let former: LedgerEntry[] = [];
    try {
      await this.#counters.write((sql, count) => {
        former = write(sql, count).flatMap((entry) => this.#unsaved.get(keyOf(entry.channelId, entry.entryId)) ?? []);
        // From now on: the former state may be next in the same transaction, and must not be put over the later one.
        for (const entry of former) this.#overtaken.add(entry);
      });
      for (const entry of former) this.#unsaved.delete(keyOf(entry.channelId, entry.entryId));
    } finally {
      for (const entry of former) this.#overtaken.delete(entry);
    }
  }

  /** Everything of a deleted channel. */
  async forget(channelId: string): Promise<void> {
    await this.#overtake((sql) => {
      prepared(sql, 'DELETE FROM ledger WHERE channel_id = ?').run(channelId);
      prepared(sql, 'DELETE FROM held WHERE channel_id = ?').run(channelId);
      return [...this.#unsaved.values()].filter((entry) => entry.channelId === channelId);
    });
  }

  /**
   * An entry of which only the detail can't be read keeps its verdict: whether it is there, refused, under way or in doubt stands
   * beside it. What the detail alone knew is gone: the ids of its parts, the words of a refusal, the preview that it would replace.
   */
  #read(row: Columns): LedgerEntry {
    const detail = parseJson(row.detail);
    if (detail === undefined) {
      const { channel_id: channelId, entry_id: entryId, state } = row;
      this.#log.error(
        { code: 'row_damaged', channelId, entryId, state },
        'the detail of a ledger entry can not be read',
      );
    }
    return toEntry(row, detail);
  }

  #put(sql: Sql, entry: LedgerEntry): void {
    put(sql, entry, this.#now());
    // Here, and not when it is on disk: nobody looks anything up in between.
    this.#absent.delete(keyOf(entry.channelId, entry.entryId));
  }
}

/** Messages that are sent as one share their fate, and change their state in one transaction. */
export type OneOrMore = LedgerEntry | readonly LedgerEntry[];

function listOf(entries: OneOrMore): readonly LedgerEntry[] {
  return 'entryId' in entries ? [entries] : entries;
}

const PUT = `INSERT INTO ledger (${COLUMNS}, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (channel_id, entry_id) DO UPDATE SET content_hash = excluded.content_hash, state = excluded.state,
      parts_sent = excluded.parts_sent, in_doubt = excluded.in_doubt, detail = excluded.detail,
      updated_at = excluded.updated_at`;

function put(sql: Sql, entry: LedgerEntry, now: number): void {
  prepared(sql, PUT).exec(
    entry.channelId,
    entry.entryId,
    entry.contentHash,
    entry.state,
    entry.partsSent,
    entry.inDoubt ? 1 : 0,
    JSON.stringify(entry.detail),
    now,
    now,
  );
  // What has ended waits for nothing any more: one transaction, so that a crash can't send it again.
  if (entry.state === 'sending' || entry.state === 'streaming') return;
  deleteHeld(sql, entry);
}

/** What waited for its network under this entry does so no more. */
export function deleteHeld(sql: Sql, { channelId, entryId }: Pick<LedgerEntry, 'channelId' | 'entryId'>): void {
  prepared(sql, 'DELETE FROM held WHERE channel_id = ? AND entry_id = ?').run(channelId, entryId);
}

const STATES: readonly LedgerEntry['state'][] = ['streaming', 'sending', 'completed', 'rejected', 'unknown'];

function toEntry(row: Columns, detail: unknown): LedgerEntry {
  return {
    channelId: row.channel_id,
    entryId: row.entry_id,
    contentHash: row.content_hash,
    // A state this program does not know is one it must not act on.
    state: STATES.find((state) => state === row.state) ?? 'unknown',
    partsSent: row.parts_sent,
    inDoubt: row.in_doubt === 1,
    detail: detailOf(detail),
  };
}

function detailOf(value: unknown): LedgerDetail {
  const { accountId, messageIds, stream, doubtSince, refusal, files } = fieldsOf(value);
  return {
    accountId: typeof accountId === 'string' ? accountId : '',
    messageIds: Array.isArray(messageIds) ? messageIds.filter((id) => typeof id === 'string') : [],
    ...(typeof stream === 'string' && { stream }),
    ...(typeof doubtSince === 'number' && { doubtSince }),
    ...(isRefusal(refusal) && { refusal }),
    ...(Array.isArray(files) && files.every(isRememberedFile) && { files }),
  };
}

export function isRememberedFile(value: unknown): value is RememberedFile {
  if (typeof value !== 'object' || value === null) return false;
  const { fileRef, fileType, sha256 }: Partial<Record<keyof RememberedFile, unknown>> = value;
  return typeof fileRef === 'string' && typeof fileType === 'string' && typeof sha256 === 'string';
}

function isRefusal(value: unknown): value is { code: string; message: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'message' in value &&
    typeof value.message === 'string'
  );
}
