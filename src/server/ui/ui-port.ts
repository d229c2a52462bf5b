import type { Answer } from '../../bridge/index.js';
import type { LocalChat } from '../../targets/local/chat.js';

/** What the window in a browser needs of the host; the server knows nothing else about it. */
export interface UiPort {
  /** Carries out a command of the bridge. Never rejects: what is refused is the answer. */
  answer(command: string, params: unknown): Promise<Answer>;
  /** Everything a window shows, as it is now. */
  snapshot(): unknown;
  /** Calls `fn` after something that snapshots show has changed. @returns a function that ends it */
  onChange(fn: () => void): () => void;
  /** Files of the local chat; undefined while it is switched off. */
  readonly chat: Pick<LocalChat, 'upload' | 'file'> | undefined;
  /** The diagnostics bundle as a file to save. @throws HttpRefusal */
  bundle(): Promise<UiBundle>;
}

export interface UiBundle {
  readonly filename: string;
  readonly mimeType: string;
  readonly content: Buffer;
}
