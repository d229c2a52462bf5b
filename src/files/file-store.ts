import type { Readable } from 'node:stream';
import type { FileType } from '../protocol/index.js';

/** A stored file. `fileRef` is a capability of at least 128 bits; `path` never leaves this process. */
export interface StoredFile {
  readonly fileRef: string;
  readonly cardId: string;
  readonly channelId: string | undefined;
  readonly accountId: string | undefined;
  readonly fileType: FileType;
  readonly filename: string;
  readonly mimeType: string;
  readonly byteSize: number;
  readonly sha256: string;
  /** Steady ms, as is the end of its time. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly path: string;
}

export interface FileSource {
  readonly cardId: string;
  readonly channelId?: string;
  readonly accountId?: string;
  /** As the sender named it; cleaned before use, never part of a path. */
  readonly filename?: string;
  /** As the sender declared it; trusted only where the bytes agree. */
  readonly mimeType?: string;
}

/** Whose files are meant; a file that nobody refers to any more is its own. */
export type FileOwner = { channelId: string } | { accountId: string } | { fileRef: string };

/** Files in transit both ways: bounded by size, total and time; an aborted write leaves nothing behind. */
export interface FileStore {
  /**
   * Streams `content` to disk and records it.
   * @throws FileStoreError `too_large` (limit `files.maxUploadBytes`, checked while reading), `empty`, `quota` (`files.maxTotalBytes` or a full disk)
   */
  put(source: FileSource, content: Readable, signal?: AbortSignal): Promise<StoredFile>;
  /** The file, unless unknown or expired. */
  get(fileRef: string): StoredFile | undefined;
  /**
   * Keeps these files at least until then (steady ms), over restarts too; those that are gone stay gone.
   * @throws StoreError when the disk refuses
   */
  keepUntil(fileRefs: readonly string[], until: number): Promise<void>;
  /** Ends the refs of a deleted channel or account, or a single one. */
  deleteFor(owner: FileOwner): Promise<void>;
  /** Removes expired and orphaned files; runs by itself at a fixed interval. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export class FileStoreError extends Error {
  override readonly name = 'FileStoreError';
  constructor(
    readonly code: 'too_large' | 'empty' | 'quota' | 'aborted',
    message: string,
  ) {
    super(message);
  }
}
