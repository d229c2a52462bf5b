import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import type { DataPlaneLimits } from '../server-options.js';

export interface OutboxParts {
  readonly ws: WebSocket;
  /** The connection under the WebSocket. */
  readonly socket: Duplex;
  readonly limits: DataPlaneLimits;
  /** The peer does not read: called when unread output passes the soft mark, and again when all of it was taken. */
  readonly onCongestion: (congested: boolean) => void;
  /** Unread output passed the hard mark. */
  readonly onOverflow: () => void;
}

/** Everything a socket sends goes through here, so that a peer which never reads costs a bounded amount of memory. */
export class Outbox {
  readonly #parts: OutboxParts;
  #congested = false;
  #corked = false;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    parts.socket.on('drain', () => {
      if (!this.#congested) return;
      this.#congested = false;
      parts.onCongestion(false);
    });
  }

  /** Whether nothing new should be offered to this peer. */
  get congested(): boolean {
    return this.#congested;
  }

  /** Sends what must be said (answers, pushes); lost silently when the socket is gone. */
  send(text: string): void {
    this.#write(text, undefined);
  }

  /** Sends at once what somebody waits for, before anything else that this turn still does. */
  sendNow(text: string): void {
    this.#write(text, undefined, 'now');
  }

  /** Sends and resolves once the operating system has taken all of it. Rejects with ws's error when the socket went first. */
  sendWritten(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#write(text, (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  #write(
    text: string,
    written: ((error?: Error | null) => void) | undefined,
    when: 'now' | 'with others' = 'with others',
  ): void {
    const { ws, limits, onCongestion, onOverflow } = this.#parts;
    if (ws.readyState !== WebSocket.OPEN) {
      written?.(new Error('the socket is not open'));
      return;
    }
    if (when === 'with others') this.#cork();
    ws.send(text, written);
    const waiting = ws.bufferedAmount;
    if (waiting < limits.softBufferBytes) return;
    if (waiting >= limits.hardBufferBytes) {
      onOverflow();
    } else if (!this.#congested) {
      this.#congested = true;
      onCongestion(true);
    }
  }

  /** What is sent within one turn leaves in one write: pipelined requests arrive together and are answered together. */
  #cork(): void {
    if (this.#corked) return;
    this.#corked = true;
    const { socket } = this.#parts;
    socket.cork();
    process.nextTick(() => {
      this.#corked = false;
      socket.uncork();
    });
  }
}
