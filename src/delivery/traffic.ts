import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { prepared, type Sql, type Store } from '../store/index.js';
import type { TrafficBucket, TrafficFacts } from './delivery.js';

/** Length of one bucket, milliseconds: fine enough for a small plot of a day. */
export const TRAFFIC_BUCKET_MS = 30 * 60_000;
/** Buckets told: 24 hours. */
export const TRAFFIC_BUCKETS = 48;
/** And two more are kept, so that a clock that is set does not tear a hole. */
const KEPT_BUCKETS = TRAFFIC_BUCKETS + 2;
/** Counts are written this often at most, so that no message pays for them; a crash loses what came since. Milliseconds. */
export const TRAFFIC_WRITE_MS = 60_000;

interface Counts {
  inbound: number;
  outbound: number;
  waiting: number;
}

/** How much went in and out lately, and how much waited: for people to look at, nothing depends on it. */
export class Traffic {
  readonly #parts: TrafficParts;
  readonly #buckets = new Map<number, Counts>();
  readonly #unwritten = new Set<number>();
  /** Messages that wait right now, by account and in all: summed up as they change, not each time one does. */
  readonly #waitingOf = new Map<string, number>();
  #waiting = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(parts: TrafficParts) {
    this.#parts = parts;
    const oldest = parts.clock.now() - KEPT_BUCKETS * TRAFFIC_BUCKET_MS;
    for (const { at, ...counts } of readTraffic(parts.store.sql, oldest)) this.#buckets.set(at, counts);
    this.#arm();
  }

  /** People wrote this many messages. */
  received(messages: number): void {
    this.#change((counts) => (counts.inbound += messages));
  }

  /** This many messages of agents reached a network. */
  sent(messages: number): void {
    this.#change((counts) => (counts.outbound += messages));
  }

  /** This many messages of an account wait for an agent now. */
  waits(accountId: string, messages: number): void {
    this.#waiting += messages - (this.#waitingOf.get(accountId) ?? 0);
    if (messages > 0) this.#waitingOf.set(accountId, messages);
    else this.#waitingOf.delete(accountId);
    this.#observe();
  }

  facts(): TrafficFacts {
    this.#observe();
    const last = this.#running();
    const buckets = Array.from({ length: TRAFFIC_BUCKETS }, (_, index): TrafficBucket => {
      const at = last - (TRAFFIC_BUCKETS - 1 - index) * TRAFFIC_BUCKET_MS;
      return { at, ...(this.#buckets.get(at) ?? NOTHING) };
    });
    return { bucketMs: TRAFFIC_BUCKET_MS, buckets };
  }

  /** Writes what is not written yet; what the disk refuses now is lost. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#write();
  }

  #running(): number {
    return Math.floor(this.#parts.clock.now() / TRAFFIC_BUCKET_MS) * TRAFFIC_BUCKET_MS;
  }

  #observe(): void {
    if (this.#waiting > (this.#buckets.get(this.#running())?.waiting ?? 0)) {
      this.#change((counts) => (counts.waiting = this.#waiting));
    }
  }

  #change(fn: (counts: Counts) => void): void {
    const at = this.#running();
    const counts = this.#buckets.get(at) ?? { ...NOTHING };
    fn(counts);
    this.#buckets.set(at, counts);
    this.#unwritten.add(at);
  }

  #arm(): void {
    this.#timer = this.#parts.clock.after(TRAFFIC_WRITE_MS, () => {
      // A message that waits through a whole bucket changes nothing in it.
      this.#observe();
      void this.#write().then(() => {
        if (!this.#closed) this.#arm();
      });
    });
  }

  async #write(): Promise<void> {
    if (this.#unwritten.size === 0) return;
    const oldest = this.#running() - KEPT_BUCKETS * TRAFFIC_BUCKET_MS;
    for (const at of this.#buckets.keys()) if (at < oldest) this.#buckets.delete(at);
    const rows = [...this.#unwritten].flatMap((at) => {
      const counts = this.#buckets.get(at);
      return counts === undefined ? [] : [{ at, ...counts }];
    });
    this.#unwritten.clear();
    try {
      await this.#parts.store.write((sql) => writeTraffic(sql, rows, oldest));
    } catch (error) {
      for (const { at } of rows) this.#unwritten.add(at);
      this.#parts.log.debug({ error: describeError(error) }, 'the traffic could not be written yet');
    }
  }
}

export interface TrafficParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

const NOTHING: Readonly<Counts> = { inbound: 0, outbound: 0, waiting: 0 };

function readTraffic(sql: Sql, oldest: number): TrafficBucket[] {
  return prepared<TrafficBucket>(sql, 'SELECT at, inbound, outbound, waiting FROM traffic WHERE at >= ?').all(oldest);
}

function writeTraffic(sql: Sql, rows: readonly TrafficBucket[], oldest: number): void {
  const put = prepared(sql, 'INSERT OR REPLACE INTO traffic (at, inbound, outbound, waiting) VALUES (?, ?, ?, ?)');
  for (const { at, inbound, outbound, waiting } of rows) put.run(at, inbound, outbound, waiting);
  prepared(sql, 'DELETE FROM traffic WHERE at < ?').run(oldest);
}
