import type { Clock, Timer } from '../base/clock.js';

/**
 * How often offline time is counted and saved, milliseconds. Also the most that one count may add: a count that comes
 * later than it was due means that the machine slept, and time asleep is not held against the lease.
 */
export const LEASE_TICK_MS = 15_000;

export interface LeaseOptions {
  readonly clock: Clock;
  /** Offline time after which the lease ends, milliseconds. */
  readonly graceMs: number;
  /** Keeps the time used up; called every tick and when counting stops. */
  readonly save: (offlineMs: number) => void;
  /** The lease ended; counting has stopped until {@link Lease.begin} or a data plane. */
  readonly onEnd: () => void;
}

/**
 * The runtime lease of protocol 3.0 section 8.2: it ends after `graceMs` during which the host ran, awake, with no data
 * plane. A data plane gives back the whole grace; a restart does not.
 */
export class Lease {
  readonly #options: LeaseOptions;
  #usedMs = 0;
  /** Monotonic time of the last count while time counts. */
  #countedAt: number | undefined;
  #timer: Timer | undefined;
  #connected = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** Counts from here, on top of what an earlier run of the host used up. */
  begin(usedMs: number): void {
    this.#usedMs = usedMs;
    this.#run();
  }

  /** A data plane completed its hello: the whole grace is there again. */
  connected(): void {
    if (this.#connected) return;
    this.#connected = true;
    this.#pause();
    this.#usedMs = 0;
    this.#options.save(0);
  }

  /** The last data plane is gone. */
  disconnected(): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.#run();
  }

  /** The machine woke: what passed since the last count was mostly sleep. */
  wake(): void {
    if (this.#countedAt === undefined) return;
    this.#count();
    this.#arm();
  }

  /** Milliseconds left; undefined while a data plane is connected. */
  get leftMs(): number | undefined {
    if (this.#connected) return undefined;
    return Math.max(Math.ceil(this.#options.graceMs - this.#usedMs - this.#uncounted()), 0);
  }

  /** Stops counting and saves. */
  close(): void {
    if (this.#countedAt === undefined) return;
    this.#count();
    this.#pause();
    this.#options.save(this.#usedMs);
  }

  #run(): void {
    this.#countedAt = this.#options.clock.monotonic();
    this.#arm();
  }

  #pause(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#countedAt = undefined;
  }

  #arm(): void {
    this.#timer?.cancel();
    const left = Math.max(this.#options.graceMs - this.#usedMs, 0);
    this.#timer = this.#options.clock.after(Math.min(left, LEASE_TICK_MS), () => this.#tick());
  }

  #tick(): void {
    this.#count();
    if (this.#usedMs >= this.#options.graceMs) {
      this.#pause();
      this.#usedMs = 0;
      this.#options.onEnd();
      return;
    }
    this.#options.save(this.#usedMs);
    this.#arm();
  }

  #count(): void {
    this.#usedMs += this.#uncounted();
    this.#countedAt = this.#options.clock.monotonic();
  }

  #uncounted(): number {
    if (this.#countedAt === undefined) return 0;
    return Math.min(this.#options.clock.monotonic() - this.#countedAt, LEASE_TICK_MS);
  }
}
