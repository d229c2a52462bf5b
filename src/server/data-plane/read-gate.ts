import type { WebSocket } from 'ws';

/** Why a socket is not read: its peer does not read our answers, or has too many requests running. */
export type HoldReason = 'output' | 'in_flight';

/** Stops reading a socket while there is any reason to; TCP then slows the sender down. */
export class ReadGate {
  readonly #ws: WebSocket;
  readonly #reasons = new Set<HoldReason>();

  constructor(ws: WebSocket) {
    this.#ws = ws;
  }

  set(reason: HoldReason, hold: boolean): void {
    if (hold) this.#reasons.add(reason);
    else this.#reasons.delete(reason);
    if (this.#reasons.size > 0) this.#ws.pause();
    else this.#ws.resume();
  }

  holds(reason: HoldReason): boolean {
    return this.#reasons.has(reason);
  }

  /** Reads again whatever the reasons: the closing handshake must come through. */
  open(): void {
    this.#reasons.clear();
    this.#ws.resume();
  }
}
