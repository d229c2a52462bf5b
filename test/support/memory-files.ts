import type { FileOwner, FileStore, StoredFile } from '../../src/files/file-store.js';

/** A file store that holds only what a test puts in it by hand. */
export class MemoryFiles implements FileStore {
  readonly files = new Map<string, StoredFile>();
  readonly deletedFor: FileOwner[] = [];

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

  get(fileRef: string): StoredFile | undefined {
    return this.files.get(fileRef);
  }

  keepUntil(): Promise<void> {
    return Promise.resolve();
  }

  deleteFor(owner: FileOwner): Promise<void> {
    this.deletedFor.push(owner);
    return Promise.resolve();
  }

  put(): Promise<StoredFile> {
    return Promise.reject(new Error('nothing is uploaded in this test'));
  }
  sweep(): Promise<void> {
    return Promise.resolve();
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}
