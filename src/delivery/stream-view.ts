import type { Clock, Timer } from '../base/clock.js';
import { describeError, TargetRefusal, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { StreamCapable } from '../targets/target.js';

/** A stream call that has not answered by then is aborted: the final does not wait longer for it. */
export const STREAM_CALL_MAX_MS = 20_000;
/** An aborted call settles at once; a target that forgot its signal is waited for this long, and then no more. */
export const STREAM_ABORT_PATIENCE_MS = 2_000;
/** Failed attempts to open after which an answer is shown only when it is complete. */
const OPEN_TRIES = 3;

export interface StreamHandle {
  readonly handle: string;
  /** Whether the network keeps the message if we die now. */
  readonly visible: boolean;
}

interface ViewDeps {
  readonly accountId: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly stream: () => StreamCapable | undefined;
  /** Runs the opening between two whole answers, never among the parts of one, and after every answer that waits. */
  readonly inTurn: <T>(task: () => Promise<T>) => Promise<T>;
  /** Text became visible to the person. */
  readonly onShown: () => void;
  /** Called before anything else happens to a message that the network keeps. */
  readonly onOpened: (handle: StreamHandle) => Promise<void>;
}

/**
 * The preview of one unfinished answer at the network: opened with the first text, then replaced by the latest,
 * no faster than the network takes it and one call at a time. Its failures stay here.
 */
export class StreamView {
  /** Whose conversation it is in. */
  readonly accountId: string;
  readonly #deps: ViewDeps;
  #handle: StreamHandle | undefined;
  #text = '';
  #shown = '';
  #busy: Promise<void> | undefined;
  #pause: Timer | undefined;
  #openFailures = 0;
  /** The opening waits for its turn: nothing of it has happened, and nothing will once the view is stopped. */
  #queued = false;
  #stopped = false;

  /** @param handle of a preview that an earlier run of the program left at the network */
  constructor(deps: ViewDeps, handle: StreamHandle | undefined) {
    this.accountId = deps.accountId;
    this.#deps = deps;
    this.#handle = handle;
  }

  /** The text so far. */
  show(text: string): void {
    this.#text = text;
    this.#step();
  }

  /** No further update is begun. Resolves when none is under way, with the preview if there is one. */
  async stop(): Promise<StreamHandle | undefined> {
    this.#stopped = true;
    this.#pause?.cancel();
    // The final runs in the turn that a queued opening waits for.
    if (!this.#queued) await this.#busy;
    return this.#handle;
  }

  /** No final will come for it: a passing preview is taken away. One that the network keeps is the ledger's to know. */
  async abandon(): Promise<void> {
    const handle = await this.stop();
    if (handle?.visible === false) this.#deps.stream()?.discard?.(handle.handle);
  }

  #step(): void {
    const stream = this.#deps.stream();
    if (!stream || this.#busy || this.#pause || this.#stopped || this.#text === this.#shown) return;
    this.#busy = this.#call(stream)
      .catch((error: unknown) => this.#note(error))
      .then((wish) => {
        this.#busy = undefined;
        if (this.#stopped) return;
        this.#pause = this.#deps.clock.after(Math.max(stream.minIntervalMs, wish ?? 0), () => {
          this.#pause = undefined;
          this.#step();
        });
      });
  }

  async #call(stream: StreamCapable): Promise<undefined> {
    const handle = this.#handle;
    if (handle) {
      this.#shown = this.#text;
      await this.#bounded((signal) => stream.update(handle.handle, this.#shown, signal));
    } else {
      this.#queued = true;
      await this.#deps.inTurn(() => this.#open(stream));
    }
    if (this.#handle) this.#deps.onShown();
    return undefined;
  }

  async #open(stream: StreamCapable): Promise<void> {
    this.#queued = false;
    if (this.#stopped) return;
    this.#shown = this.#text;
    const handle = await this.#bounded((signal) => stream.open(this.#shown, signal));
    if (!handle) {
      // This conversation can't stream.
      this.#stopped = true;
      return;
    }
    this.#handle = handle;
    await this.#deps.onOpened(handle);
  }

  /** @returns milliseconds the network asked us to wait */
  #note(error: unknown): number | undefined {
    this.#deps.log.debug({ error: describeError(error) }, 'a preview was not updated');
    this.#shown = '';
    if (this.#handle) {
      // The preview may be gone; the final finds out, and a preview is not worth a second question.
      if (error instanceof TargetRefusal && !error.retryable) this.#stopped = true;
    } else {
      this.#openFailures += 1;
      // An opening that may have had its effect must not be repeated: two previews would stay behind.
      if (!isWithoutEffect(error) || this.#openFailures >= OPEN_TRIES) this.#stopped = true;
    }
    return error instanceof TargetRefusal ? error.retryAfterMs : undefined;
  }

  /** Ends with the call itself, so that nothing of it reaches the network after what is done next. */
  #bounded<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock } = this.#deps;
    const abort = new AbortController();
    return new Promise((resolve, reject) => {
      let timer = clock.after(STREAM_CALL_MAX_MS, () => {
        timer = clock.after(STREAM_ABORT_PATIENCE_MS, () => {
          reject(new TransportError('stream_timeout', 'the network did not answer a preview', { effect: 'unknown' }));
        });
        abort.abort();
      });
      call(abort.signal)
        .then(resolve, reject)
        .finally(() => timer.cancel());
    });
  }
}

function isWithoutEffect(error: unknown): boolean {
  if (error instanceof TargetRefusal) return error.retryable;
  return error instanceof TransportError && error.effect === 'none';
}
