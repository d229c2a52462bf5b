import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { FileOwner, FileSource, FileStore, StoredFile } from '../../src/files/file-store.js';

/** Files in memory; a test takes one away to have it expired. */
export class MemoryFiles implements FileStore {
  readonly files = new Map<string, StoredFile>();
  readonly deletedFor: FileOwner[] = [];
  /** Until when a file was asked to be kept, by its ref. */
  readonly kept = new Map<string, number>();

  /** A file as a test describes it, with only what the test cares about said. */
  add(file: Pick<StoredFile, 'fileRef' | 'cardId'> & Partial<StoredFile>): StoredFile {
    const stored: StoredFile = {
      channelId: undefined,
      accountId: undefined,
      fileType: 'file',
      filename: 'note.txt',
      mimeType: 'text/plain',
      byteSize: 4,
      sha256: 'hash',
      createdAt: 0,
      expiresAt: Number.MAX_SAFE_INTEGER,
      path: '/nowhere',
      ...file,
    };
    this.files.set(stored.fileRef, stored);
    return stored;
  }

  /** A file that came in with these bytes. */
  take(bytes: Buffer, source: FileSource): StoredFile {
    return this.add({
      fileRef: `file_${String(this.files.size + 1).padStart(22, '0')}`,
      cardId: source.cardId,
      channelId: source.channelId,
      accountId: source.accountId,
      filename: source.filename ?? 'file',
      mimeType: source.mimeType ?? 'application/octet-stream',
      byteSize: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
  }

  async put(source: FileSource, content: Readable, signal?: AbortSignal): Promise<StoredFile> {
    const chunks: Buffer[] = [];
    for await (const chunk of content) chunks.push(Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk)));
    if (signal?.aborted) throw new Error('aborted');
    return this.take(Buffer.concat(chunks), source);
  }

  get(fileRef: string): StoredFile | undefined {
    return this.files.get(fileRef);
  }

  deleteFor(owner: FileOwner): Promise<void> {
    this.deletedFor.push(owner);
    return Promise.resolve();
  }

  keepUntil(fileRefs: readonly string[], until: number): Promise<void> {
    for (const fileRef of fileRefs) this.kept.set(fileRef, until);
    return Promise.resolve();
  }
  async sweep(): Promise<void> {}
  async close(): Promise<void> {}
}
