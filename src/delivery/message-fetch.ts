import type { Readable } from 'node:stream';
import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import { sleep, type Clock } from '../base/clock.js';
import { describeError, TargetRefusal } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { FileStoreError, type FileStore } from '../files/file-store.js';
import type { RemoteAttachment, TargetSession } from '../targets/target.js';
import type { FileOutcome } from './pending-body.js';
import type { Sessions } from './sessions.js';

/** Tries per attachment; with {@link RETRY} about a minute of trying besides the transfers themselves. */
const FETCH_TRIES = 6;
/** One transfer at most. Telegram's largest file to a bot is 20 MB: 5 minutes is a very slow line. */
const FETCH_TIMEOUT_MS = 300_000;
const RETRY: BackoffPolicy = { initialMs: 1_000, maxMs: 30_000 };
/** A network's wish to wait longer than this is cut: the message behind the file waits with it. */
const RETRY_AFTER_MAX_MS = 60_000;

export interface FetchDeps {
  readonly sessions: Sessions;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** The card an account belongs to, so that its files carry it. */
  readonly cardOf: (accountId: string) => string;
}

/** Fetches the attachments of one pending message, one after the other, each until it is stored or given up. */
export class MessageFetch {
  /** Resolves with what became of each attachment; never rejects. */
  readonly done: Promise<readonly FileOutcome[]>;
  readonly #deps: FetchDeps;
  readonly #accountId: string;
  readonly #outcomes: FileOutcome[];
  readonly #stop = new AbortController();

  constructor(
    deps: FetchDeps,
    accountId: string,
    attachments: readonly RemoteAttachment[],
    outcomes: readonly FileOutcome[],
  ) {
    this.#deps = deps;
    this.#accountId = accountId;
    this.#outcomes = [...outcomes];
    this.done = this.#run(attachments);
  }

  /** Nobody waits any longer: what is not stored by now counts as not fetched. */
  giveUp(): void {
    this.#stop.abort();
  }

  async #run(attachments: readonly RemoteAttachment[]): Promise<readonly FileOutcome[]> {
    for (const [index, attachment] of attachments.entries()) {
      this.#outcomes[index] ??= await this.#fetch(attachment);
    }
    return this.#outcomes;
  }

  async #fetch(attachment: RemoteAttachment): Promise<FileOutcome> {
    const { sessions, log, clock, random } = this.#deps;
    const { signal } = this.#stop;
    for (let tries = 1; ; tries += 1) {
      await sessions.whenAttached(this.#accountId, signal);
      const session = sessions.get(this.#accountId);
      if (!session || signal.aborted) return { failed: true };
      try {
        return { ref: await this.#transfer(session, attachment) };
      } catch (error) {
        log.info({ accountId: this.#accountId, tries, error: describeError(error) }, 'an attachment was not fetched');
        if (tries >= FETCH_TRIES || isFinal(error)) return { failed: true };
        const wished = error instanceof TargetRefusal ? error.retryAfterMs : undefined;
        const delay = wished === undefined ? backoffDelay(RETRY, tries, random) : Math.min(wished, RETRY_AFTER_MAX_MS);
        await sleep(clock, delay, signal).catch(() => undefined);
      }
    }
  }

  async #transfer(session: TargetSession, attachment: RemoteAttachment): Promise<string> {
    const { clock, files, cardOf } = this.#deps;
    if (!session.fetch) {
      throw new TargetRefusal('fetch_unsupported', 'this network has no files to fetch', { retryable: false });
    }
    const abort = new AbortController();
    const onStop = (): void => abort.abort();
    this.#stop.signal.addEventListener('abort', onStop, { once: true });
    const timer = clock.after(FETCH_TIMEOUT_MS, onStop);
    try {
      const content = await orAborted(session.fetch(attachment, abort.signal), abort.signal);
      const source = {
        cardId: cardOf(this.#accountId),
        accountId: this.#accountId,
        ...(attachment.filename !== undefined && { filename: attachment.filename }),
        ...(attachment.mimeType !== undefined && { mimeType: attachment.mimeType }),
      };
      return (await files.put(source, content, abort.signal)).fileRef;
    } finally {
      timer.cancel();
      this.#stop.signal.removeEventListener('abort', onStop);
    }
  }
}

/** A target that ignores its signal must not hold the message for ever; what it still brings is thrown away. */
function orAborted(opening: Promise<Readable>, signal: AbortSignal): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new FileStoreError('aborted', 'the transfer was abandoned'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    opening.then(
      (content) => {
        signal.removeEventListener('abort', onAbort);
        if (signal.aborted) content.destroy();
        resolve(content);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}

function isFinal(error: unknown): boolean {
  if (error instanceof TargetRefusal) return !error.retryable;
  return error instanceof FileStoreError && (error.code === 'too_large' || error.code === 'empty');
}
