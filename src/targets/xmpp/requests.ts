import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import { deadlineSignal } from '../../base/deadline.js';
import { conditionOf, lineLost, StanzaRefused } from './errors.js';
import { el, type Stanza } from './stanza.js';

/** A server that has not answered a question by then is not there any more; milliseconds. */
export const ANSWER_DEADLINE_MS = 20_000;

export interface Question {
  readonly type: 'get' | 'set';
  /** Undefined asks our own account. */
  readonly to?: string;
  readonly child: Stanza;
  /** Milliseconds. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

interface Waiting {
  readonly isFrom: (from: string | undefined) => boolean;
  readonly resolve: (answer: Stanza) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions on a stream and their answers (IQ, RFC 6120 section 8.2.3). Only who was asked can answer. */
export class Requests {
  readonly #clock: Clock;
  readonly #send: (stanza: Stanza) => Promise<void>;
  readonly #waiting = new Map<string, Waiting>();
  /** Whether an answer without, or with this sender is our own server's. */
  readonly #isOwnServer: (from: string | undefined) => boolean;

  constructor(
    clock: Clock,
    send: (stanza: Stanza) => Promise<void>,
    isOwnServer: (from: string | undefined) => boolean,
  ) {
    this.#clock = clock;
    this.#send = send;
    this.#isOwnServer = isOwnServer;
  }

  /** @throws StanzaRefused for an answer of type error; TransportError `timeout`, `aborted` or why the line is lost */
  async ask({ type, to, child, deadlineMs = ANSWER_DEADLINE_MS, signal }: Question): Promise<Stanza> {
    const id = newStanzaId();
    const bounded = deadlineSignal(this.#clock, deadlineMs, signal);
    try {
      return await new Promise<Stanza>((resolve, reject) => {
        const onAbort = (): void => {
          reject(
            bounded.expired
              ? lineLost('no_answer', 'The server did not answer in time', 'unknown')
              : lineLost('aborted', 'The question was abandoned', 'unknown'),
          );
        };
        const isFrom = to === undefined ? this.#isOwnServer : (from: string | undefined) => sameAddress(from, to);
        this.#waiting.set(id, { isFrom, resolve, reject });
        if (bounded.signal.aborted) onAbort();
        else bounded.signal.addEventListener('abort', onAbort, { once: true });
        this.#send(el('iq', { type, id, to }, child)).catch(reject);
      });
    } finally {
      this.#waiting.delete(id);
      bounded.done();
    }
  }

  /** Takes an IQ of type result or error. */
  take(answer: Stanza): void {
    const waiting = this.#waiting.get(answer.attrs['id'] ?? '');
    if (!waiting?.isFrom(answer.attrs['from'])) return;
    if (answer.attrs['type'] === 'error') waiting.reject(new StanzaRefused(conditionOf(answer)));
    else waiting.resolve(answer);
  }

  fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

const ID_BYTES = 12;

export function newStanzaId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

function sameAddress(from: string | undefined, to: string): boolean {
  return from?.toLowerCase() === to.toLowerCase();
}
