import type { Readable } from 'node:stream';
import type { StoredFile } from '../../files/file-store.js';
import type { FileType } from '../../protocol/payloads.js';
import type { MessageFate } from '../target.js';

/** The chat inside the program, from the person's side: what a window, the command line or a test does with it. */
export interface LocalChat {
  /**
   * Writes as the person. Resolves when the message is on disk; it then waits for the agent like any other.
   * Waits first while the account's queue is full, until `signal` gives up.
   * @throws LocalChatError `unknown_account`, `empty_message`, `unknown_file`; the files of a message that was not taken can
   * be sent again
   * @throws StoreError when the disk refuses
   */
  send(accountId: string, message: LocalDraft, signal?: AbortSignal): Promise<LocalMessage>;
  /**
   * Resolves once the chat is open: right after a start, what its account needs may still be read.
   * @throws LocalChatError `chat_not_open` when `signal` gives up first
   */
  opened(accountId: string, signal: AbortSignal): Promise<void>;
  /**
   * Takes a file for a message that the person is about to send, and gives a token for {@link LocalDraft.files}: good for this
   * chat alone, once, and for an hour.
   * @throws LocalChatError `unknown_account`
   * @throws FileStoreError as the file store does
   */
  upload(accountId: string, source: LocalUpload, content: Readable, signal?: AbortSignal): Promise<string>;
  /**
   * A file of either side of this chat, while its message is shown and its time is not over.
   * @throws LocalChatError `unknown_account`
   */
  file(accountId: string, fileRef: string): StoredFile | undefined;
  /**
   * What appeared or changed after `cursor` (0 gives all that is kept), oldest first, then every answer that is still growing.
   * A finished answer comes under the id under which it grew; a growing one that is no longer listed was given up.
   * @throws LocalChatError `unknown_account`
   */
  read(accountId: string, cursor: number): LocalReading;
  /** Called after something of an account's chat changed. */
  onChange(fn: (accountId: string) => void): () => void;
}

export interface LocalDraft {
  readonly text: string;
  /** Tokens of files that were uploaded before. */
  readonly files?: readonly string[];
}

/** A file as its sender describes it; neither is trusted. */
export interface LocalUpload {
  readonly filename: string;
  readonly mimeType?: string;
}

export interface LocalReading {
  readonly messages: readonly LocalMessage[];
  /** Give it to the next read. */
  readonly cursor: number;
  /** The agent is at work. */
  readonly typing: boolean;
}

export interface LocalMessage {
  readonly messageId: string;
  readonly from: 'person' | 'agent';
  readonly text: string;
  readonly files: readonly LocalFile[];
  /** Unix ms. */
  readonly at: number;
  /** What became of the person's message; undefined for the agent's. */
  readonly state: MessageFate | undefined;
  /** An unfinished answer that still grows; its text is replaced, not added to. */
  readonly growing: boolean;
}

export interface LocalFile {
  readonly fileRef: string;
  readonly fileType: FileType;
  readonly filename: string;
  readonly byteSize: number;
  /** Until then it can be fetched, Unix ms. */
  readonly expiresAt: number;
}

export class LocalChatError extends Error {
  override readonly name = 'LocalChatError';
  constructor(
    readonly code: 'unknown_account' | 'chat_not_open' | 'empty_message' | 'unknown_file',
    message: string,
  ) {
    super(message);
  }
}
