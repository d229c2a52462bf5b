import type { Clock, Timer } from '../../base/clock.js';

export interface HeartbeatParts {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly intervalMs: number;
  readonly maxMissed: number;
  readonly ping: () => void;
  /** The peer is gone. */
  readonly cut: () => void;
  /** While we choose not to read, silence says nothing about the peer. */
  readonly deaf: () => boolean;
}

/**
 * Notices a peer that is gone although TCP has not noticed: its socket would go on holding the lease and its routes. Any frame
 * is a sign of life.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #alive = true;
  #missed = 0;
  #timer: Timer;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#timer = this.#arm();
  }

  alive(): void {
    this.#alive = true;
  }

  stop(): void {
    this.#timer.cancel();
  }

  #arm(): Timer {
    return this.#parts.clock.after(this.#parts.intervalMs, () => this.#beat());
  }

  #beat(): void {
    const { deaf, maxMissed, cut, ping } = this.#parts;
    this.#missed = this.#alive || deaf() ? 0 : this.#missed + 1;
    if (this.#missed >= maxMissed) {
      cut();
      return;
    }
    this.#alive = false;
    ping();
    this.#timer = this.#arm();
  }
}
