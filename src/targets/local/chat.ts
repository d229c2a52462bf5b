import type { FileType } from '../../protocol/payloads.js';

/** The chat inside the program, from the person's side: what a window, the command line or a test does with it. */
export interface LocalChat {
  /**
   * Writes as the person. Resolves when the message is on disk; it then waits for the agent like any other.
   * Waits first while the account's queue is full, until `signal` gives up.
   * @throws LocalChatError `unknown_account`, `empty_message`
   * @throws StoreError when the disk refuses
   */
  send(accountId: string, message: LocalDraft, signal?: AbortSignal): Promise<LocalMessage>;
  /**
   * What appeared after `cursor` (0 gives all that is kept), oldest first, then every answer that is still growing.
   * A finished answer comes under the id under which it grew; a growing one that is no longer listed was given up.
   * @throws LocalChatError `unknown_account`
   */
  read(accountId: string, cursor: number): LocalReading;
  /** Called after something of an account's chat changed. */
  onChange(fn: (accountId: string) => void): () => void;
}

export interface LocalDraft {
  readonly text: string;
  readonly files?: readonly LocalDraftFile[];
}

/** A file on this computer that the person adds; read when the agent is offered the message. */
export interface LocalDraftFile {
  readonly path: string;
  readonly fileType: FileType;
  readonly filename?: string;
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
  /** An unfinished answer that still grows; its text is replaced, not added to. */
  readonly growing: boolean;
}

export interface LocalFile {
  /** Known once it can be fetched; a file that the person adds has none. */
  readonly fileRef: string | undefined;
  readonly fileType: FileType;
  readonly filename: string | undefined;
  readonly byteSize: number | undefined;
}

export class LocalChatError extends Error {
  override readonly name = 'LocalChatError';
  constructor(
    readonly code: 'unknown_account' | 'empty_message',
    message: string,
  ) {
    super(message);
  }
}
