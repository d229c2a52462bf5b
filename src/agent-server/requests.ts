import type { Clock, Timer } from '../base/clock.js';
import { TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { E2AError, isServerPush, type JsonObject } from '../e2a/index.js';
import { BoundedMap } from './bounded-map.js';
import { isNotBegun, readPiece, textOf, type Piece } from './pieces.js';

/** Requests remembered after their end, so that what still comes for them is dropped in silence. */
const FINISHED_KEPT = 2_000;

export type Answered = Extract<Piece, { kind: 'event' | 'failure' }>;
export type Push = Extract<Piece, { kind: 'push' }>;
export type LostBy = 'connection_lost' | 'silent' | 'frame_too_large';

/** Who asked. After an end (`isFinal`, a failure, or {@link lost}) nothing more is told. */
export interface Asker {
  /**
   * Something came in its name: the server has begun the request. Called before the frame itself is told, if it is, and not while
   * the server says that it has not begun.
   */
  alive(): void;
  answered(piece: Answered): void;
  /** No answer will come. */
  lost(by: LostBy): void;
}

interface Open {
  readonly asker: Asker;
  idle: Timer;
  /** The server said that it has not begun; keepalives after that say no more. */
  isWarming: boolean;
}

/** Many requests over one socket, told apart by their ids (E2A section 4.1). */
export class Requests {
  readonly #open = new Map<string, Open>();
  readonly #finished = new BoundedMap<string, true>(FINISHED_KEPT);
  readonly #deps: RequestsDeps;

  constructor(deps: RequestsDeps) {
    this.#deps = deps;
  }

  get count(): number {
    return this.#open.size;
  }

  has(requestId: string): boolean {
    return this.#open.has(requestId);
  }

  /** Sends a request. @throws TransportError with effect `none` when it was not written, or its id is in use */
  ask(requestId: string, envelope: JsonObject, asker: Asker): void {
    if (this.#open.has(requestId)) {
      throw new TransportError('request_in_flight', 'a request with this id is under way', { effect: 'none' });
    }
    this.#deps.send(envelope);
    this.#finished.delete(requestId);
    this.#open.set(requestId, { asker, idle: this.#idleTimer(requestId), isWarming: false });
  }

  /** Ends a request at this side; what still comes for it is dropped. */
  finish(requestId: string): void {
    const open = this.#open.get(requestId);
    if (!open) return;
    open.idle.cancel();
    this.#open.delete(requestId);
    this.#finished.set(requestId, true);
    if (this.#open.size === 0) this.#deps.idle();
  }

  /** The connection is gone, and with it every request: none is asked again by itself. */
  loseAll(by: LostBy): void {
    for (const [requestId, open] of [...this.#open]) {
      open.idle.cancel();
      // Not finished: whether it may be asked again is the asker's to know.
      this.#open.delete(requestId);
      open.asker.lost(by);
    }
    if (this.#open.size === 0) this.#deps.idle();
  }

  /** Nobody is told anything any more. */
  close(): void {
    for (const { idle } of this.#open.values()) idle.cancel();
    this.#open.clear();
  }

  receive(frame: JsonObject): void {
    const piece = this.#read(frame);
    if (!piece) return;
    const open = this.#open.get(piece.requestId);
    if (open) {
      open.idle.cancel();
      open.idle = this.#idleTimer(piece.requestId);
      open.isWarming = isNotBegun(piece) || (open.isWarming && piece.kind === 'keepalive');
      if (!open.isWarming) open.asker.alive();
    }
    // Before correlating: a push may carry the id of a request under way, and belongs to neither its order nor its end.
    if (piece.kind === 'push') this.#deps.pushed(piece);
    else if (piece.kind !== 'keepalive') this.#correlate(piece);
  }

  /**
   * A frame that can't be read is one of the request it names all the same: the server has begun it, and when it says that
   * nothing follows, waiting on would help nobody.
   */
  #read(frame: JsonObject): Piece | undefined {
    try {
      return readPiece(frame);
    } catch (error) {
      if (!(error instanceof E2AError)) throw error;
      this.#deps.log.warn({ code: error.code }, 'a frame of the AgentServer can not be read');
      this.#deps.dropped();
      const requestId = textOf(frame['request_id']);
      if (!this.#open.has(requestId)) return undefined;
      const isLast = frame['is_final'] === true && !isServerPush(frame);
      return isLast ? { kind: 'failure', requestId, errorType: error.code } : { kind: 'keepalive', requestId };
    }
  }

  #correlate(piece: Answered): void {
    const open = this.#open.get(piece.requestId);
    if (!open) {
      this.#deps.dropped();
      if (!this.#finished.has(piece.requestId)) {
        this.#deps.log.debug({ request_id: piece.requestId }, 'a frame of a request that nobody here made');
      }
      return;
    }
    if (piece.kind === 'failure' || piece.isFinal) this.finish(piece.requestId);
    open.asker.answered(piece);
  }

  #idleTimer(requestId: string): Timer {
    return this.#deps.clock.after(this.#deps.idleTimeoutMs, () => {
      const open = this.#open.get(requestId);
      this.finish(requestId);
      open?.asker.lost('silent');
    });
  }
}

export interface RequestsDeps {
  /** @throws TransportError with effect `none` */
  readonly send: (envelope: JsonObject) => void;
  readonly pushed: (push: Push) => void;
  /** A frame was of no use. */
  readonly dropped: () => void;
  /** The last request that was under way is not any more. */
  readonly idle: () => void;
  readonly idleTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}
