import { backoffDelay } from '../base/backoff.js';
import { wallTime, type Clock, type Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { FileStore } from '../files/file-store.js';
import type { Store } from '../store/index.js';
import type { Attachments } from './attachments.js';
import type { Counters } from './counters.js';
import type { QueueFacts, Upstream, Verdict } from './delivery.js';
import { insertEnded, type EndedOutcome } from './ended-log.js';
import { toOffer } from './offer.js';
import type { DeliveryConfig } from './options.js';
import type { FileOutcome, PendingBody } from './pending-body.js';
import { holdLeft, pendingBySeq, recordAttempt, removePending, sealPending, type PendingRow } from './pending-queue.js';
import { QueueWindow } from './queue-window.js';
import type { MessageFate } from '../targets/target.js';
import type { WriteBehind } from './write-behind.js';

/** Stable codes of what ends a message or delays it, besides those an upstream gives. */
export const Reason = {
  expired: 'ttl_expired',
  capacity: 'capacity_exceeded',
  discarded: 'discarded_by_person',
  unreadable: 'record_unreadable',
  ackTimeout: 'ack_timeout',
  disconnected: 'disconnected',
  transmitFailed: 'transmit_failed',
  storeFailed: 'store_failed',
} as const;

export type Ending =
  { readonly outcome: 'delivered' | 'duplicate' } | { readonly outcome: EndedOutcome; readonly reason: string };

/** What the head of the queue is doing. Each value is an object of its own, so that a late event knows it is late. */
type Phase =
  | { readonly name: 'ready' }
  | { readonly name: 'held'; readonly row: PendingRow; readonly timer: Timer }
  | { readonly name: 'preparing'; readonly row: PendingRow }
  | { readonly name: 'transmitting'; readonly row: PendingRow }
  | { readonly name: 'awaiting'; readonly row: PendingRow; readonly timer: Timer }
  | { readonly name: 'backoff'; readonly row: PendingRow; readonly timer: Timer; readonly retryAt: number };

/** The head, complete: no further part joins it and nothing of it is still being fetched. */
interface Prepared {
  readonly seq: number;
  readonly body: PendingBody;
  readonly outcomes: readonly FileOutcome[];
}

export interface DispatcherDeps {
  readonly store: Store;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly options: DeliveryConfig['delivery'];
  readonly writeBehind: WriteBehind;
  readonly counters: Counters;
  readonly attachments: Attachments;
  /** Whether the person paused delivery. */
  readonly paused: () => boolean;
  /** A message ended, on disk too. */
  readonly settled: (accountId: string, messageId: string, fate: MessageFate) => void;
  readonly onChange: (accountId: string) => void;
}

/**
 * Offers one account's pending messages to its upstream: the oldest first, one at a time, each until its verdict
 * (IM Profile v1 section 7.2). A head that fails for a time holds up this account only.
 */
export class Dispatcher {
  readonly accountId: string;
  readonly #deps: DispatcherDeps;
  readonly #queue: QueueWindow;
  #upstream: Upstream | undefined;
  #phase: Phase = { name: 'ready' };
  #prepared: Prepared | undefined;
  /** The row that was handed to an upstream in this run of the program: only that one can be acknowledged. */
  #offered: number | undefined;
  /** The album whose hold is over, by the running clock. */
  #released: number | undefined;
  #failures = 0;
  #pumping = false;
  #closed = false;

  constructor(accountId: string, deps: DispatcherDeps) {
    this.accountId = accountId;
    this.#deps = deps;
    this.#queue = new QueueWindow(deps.store.sql, accountId);
  }

  /** Messages that wait or are under way. */
  get count(): number {
    return this.#queue.count;
  }

  /** New rows are on disk. */
  added(rows: readonly PendingRow[]): void {
    this.#queue.added(rows);
    this.#changed();
    this.pump();
  }

  /** A new upstream is offered the head at once, whatever happened with the one before. */
  route(upstream: Upstream | undefined): void {
    if (upstream === this.#upstream) return;
    this.#upstream = upstream;
    const phase = this.#phase;
    if (phase.name === 'transmitting' || phase.name === 'awaiting') this.#noteFailure(phase.row, Reason.disconnected);
    if (phase.name === 'transmitting' || phase.name === 'awaiting' || phase.name === 'backoff') this.#becomeReady();
    this.#failures = 0;
    this.#changed();
    this.pump();
  }

  acknowledge(messageId: string, verdict: Verdict): void {
    const row = this.#queue.head();
    if (row?.messageId !== messageId || row.seq !== this.#offered) {
      this.#deps.log.debug({ accountId: this.accountId, messageId }, 'a verdict on a message that is not pending');
      return;
    }
    if (verdict.status !== 'rejected') {
      this.#finish(row, { outcome: verdict.status === 'accepted' ? 'delivered' : 'duplicate' });
    } else if (!verdict.retryable) {
      this.#finish(row, { outcome: 'rejected', reason: verdict.code });
    } else if (this.#phase.name === 'transmitting' || this.#phase.name === 'awaiting') {
      this.#fail(row, verdict.code);
    }
  }

  retryNow(): void {
    if (this.#phase.name !== 'backoff') return;
    this.#becomeReady();
    this.pump();
  }

  /** @returns false when no such message is pending; otherwise resolves once its end is on disk */
  async discard(messageId: string): Promise<boolean> {
    const row = this.#queue.find(messageId);
    if (!row) return false;
    const written = this.#end(row, { outcome: 'discarded', reason: Reason.discarded });
    this.pump();
    await written;
    return true;
  }

  /** Ends a row whose time is over. @returns false when it ended already, or is at the upstream and may yet be accepted. */
  expire(row: PendingRow): boolean {
    if (this.#queue.hasEnded(row.seq) || this.#isUnderWay(row.seq)) return false;
    void this.#end(row, { outcome: 'expired', reason: Reason.expired });
    // It may have been a head that waited for its next try, and with it all that follow.
    this.pump();
    return true;
  }

  /** Ends the oldest messages that are not at the upstream right now, until at most `limit` are left. */
  evictDownTo(limit: number): void {
    let excess = this.count - limit;
    if (excess <= 0) return;
    for (const row of this.#queue.all()) {
      if (this.#isUnderWay(row.seq)) continue;
      void this.#end(row, { outcome: 'evicted', reason: Reason.capacity });
      excess -= 1;
      if (excess === 0) break;
    }
    this.pump();
  }

  /** Whether the row has ended, though it may still be on the disk. */
  hasEnded(seq: number): boolean {
    return this.#queue.hasEnded(seq);
  }

  isPending(messageId: string): boolean {
    return this.#queue.find(messageId) !== undefined;
  }

  facts(): Omit<QueueFacts, 'heldReplies'> {
    const { clock } = this.#deps;
    const head = this.#queue.head();
    return {
      pending: this.count,
      oldestReceivedAt: head && wallTime(clock, head.receivedAt),
      attempts: head?.attempts ?? 0,
      lastError: head?.lastError,
      retryAt: this.#phase.name === 'backoff' ? wallTime(clock, this.#phase.retryAt) : undefined,
    };
  }

  /** Nothing is offered any more; a verdict that still comes is not recorded and the message is offered again next time. */
  close(): void {
    this.#closed = true;
    this.#becomeReady();
    this.#upstream = undefined;
  }

  /** Offers the head if nothing speaks against it. Safe to call at any time. */
  pump(): void {
    // An upstream may answer while it is handed a message; the loop below then goes on by itself.
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      while (this.#phase.name === 'ready' && !this.#closed && !this.#deps.paused() && this.#step());
    } finally {
      this.#pumping = false;
    }
  }

  /** @returns false when there is nothing to offer or nobody to offer it to */
  #step(): boolean {
    const upstream = this.#upstream;
    const row = upstream && this.#queue.head();
    if (!row) return false;
    const now = this.#deps.clock.steady();
    if (row.expiresAt <= now) {
      void this.#end(row, { outcome: 'expired', reason: Reason.expired });
    } else if (!row.body) {
      void this.#end(row, { outcome: 'discarded', reason: Reason.unreadable });
    } else if (this.#prepared?.seq === row.seq) {
      void this.#transmit(row, this.#prepared, upstream);
    } else if (row.mergeKey !== undefined && this.#released !== row.seq && holdLeft(row, now) > 0) {
      this.#hold(row, holdLeft(row, now));
    } else if (row.mergeKey === undefined && row.body.message.attachments.length === 0) {
      this.#prepared = { seq: row.seq, body: row.body, outcomes: [] };
    } else {
      void this.#prepare(row);
    }
    return true;
  }

  // ---------------------------------------------------------------- steps of the head

  #hold(row: PendingRow, delay: number): void {
    const timer = this.#deps.clock.after(delay, () => {
      this.#released = row.seq;
      this.#becomeReady();
      this.pump();
    });
    this.#phase = { name: 'held', row, timer };
  }

  async #prepare(row: PendingRow): Promise<void> {
    const phase: Phase = { name: 'preparing', row };
    this.#phase = phase;
    const { store, attachments, log } = this.#deps;
    try {
      const whole =
        row.mergeKey === undefined ? pendingBySeq(store.sql, row) : await store.write((sql) => sealPending(sql, row));
      const outcomes = whole ? await attachments.settle(whole) : [];
      if (this.#phase !== phase) return;
      if (whole?.body) this.#prepared = { seq: row.seq, body: whole.body, outcomes };
      this.#becomeReady();
      if (whole?.body) this.pump();
      else this.#finish(row, { outcome: 'discarded', reason: Reason.unreadable });
    } catch (error) {
      log.warn({ accountId: this.accountId, error: describeError(error) }, 'a message could not be made ready');
      if (this.#phase === phase) this.#fail(row, Reason.storeFailed);
    }
  }

  async #transmit(row: PendingRow, prepared: Prepared, upstream: Upstream): Promise<void> {
    const phase: Phase = { name: 'transmitting', row };
    this.#phase = phase;
    this.#offered = row.seq;
    try {
      const offer = toOffer(row, prepared.body, prepared.outcomes, this.#deps);
      const handed = await upstream.transmit(offer);
      // Also from an upstream that was replaced meanwhile, unless its successor was quicker: handing over was all there is.
      if (handed === 'done' && this.#queue.has(row)) this.#finish(row, { outcome: 'delivered' });
      else if (this.#phase === phase) this.#awaitVerdict(row);
    } catch (error) {
      this.#deps.log.info({ accountId: this.accountId, error: describeError(error) }, 'a message was not handed over');
      if (this.#phase === phase) this.#fail(row, Reason.transmitFailed);
    }
  }

  #awaitVerdict(row: PendingRow): void {
    const timer = this.#deps.clock.after(this.#deps.options.ackTimeoutMs, () => this.#fail(row, Reason.ackTimeout));
    this.#phase = { name: 'awaiting', row, timer };
  }

  #fail(row: PendingRow, code: string): void {
    const { clock, random, options } = this.#deps;
    this.#becomeReady();
    this.#noteFailure(row, code);
    this.#failures += 1;
    const delay = backoffDelay(
      { initialMs: options.retryInitialMs, maxMs: options.retryMaxMs },
      this.#failures,
      random,
    );
    const timer = clock.after(delay, () => {
      this.#becomeReady();
      this.pump();
    });
    this.#phase = { name: 'backoff', row, timer, retryAt: clock.steady() + delay };
    this.#changed();
  }

  #noteFailure(row: PendingRow, code: string): void {
    row.attempts += 1;
    row.lastError = code;
    const { store, log } = this.#deps;
    log.info(
      { accountId: this.accountId, messageId: row.messageId, attempts: row.attempts, code },
      'not delivered yet',
    );
    // For people to read after a restart; nothing depends on it, so a refusing disk is not asked twice.
    store
      .write((sql) => recordAttempt(sql, row, code))
      .catch((error: unknown) => log.debug({ error: describeError(error) }, 'an attempt was not recorded'));
  }

  #finish(row: PendingRow, ending: Ending): void {
    if (this.#closed || this.#queue.hasEnded(row.seq)) return;
    this.#failures = 0;
    void this.#end(row, ending);
    this.pump();
  }

  /**
   * The one way a message leaves the queue. In memory at once, so that the next is offered without waiting for the disk:
   * a crash before the write means a redelivery under the same id, which is answered `duplicate`.
   */
  #end(row: PendingRow, ending: Ending): Promise<void> {
    const { clock, counters, writeBehind, attachments, log } = this.#deps;
    const endedAt = clock.steady();
    this.#queue.end(row.seq);
    this.#forgetInMemory(row.seq);
    attachments.cancel(this.accountId, row.seq);
    this.#changed();
    const about = { accountId: this.accountId, messageId: row.messageId, attempts: row.attempts, ...ending };
    if ('reason' in ending) log.warn(about, 'a message ended undelivered');
    else log.debug(about, 'a message was delivered');
    // The next message, or the agent's answer, brings the fsync along.
    const urgency = 'reason' in ending ? 'now' : 'soon';
    const written = writeBehind.run(() =>
      counters.write((sql, count) => {
        removePending(sql, row);
        if ('reason' in ending) insertEnded(sql, row, ending.outcome, ending.reason, endedAt);
        count(this.accountId, ending.outcome);
      }, urgency),
    );
    return written.then(() => {
      this.#queue.removed(row.seq);
      this.#deps.settled(this.accountId, row.messageId, ending.outcome === 'duplicate' ? 'delivered' : ending.outcome);
      this.#changed();
    });
  }

  #forgetInMemory(seq: number): void {
    if (this.#prepared?.seq === seq) this.#prepared = undefined;
    if (this.#phase.name !== 'ready' && this.#phase.row.seq === seq) this.#becomeReady();
  }

  #becomeReady(): void {
    if ('timer' in this.#phase) this.#phase.timer.cancel();
    this.#phase = { name: 'ready' };
  }

  #isUnderWay(seq: number): boolean {
    return (this.#phase.name === 'transmitting' || this.#phase.name === 'awaiting') && this.#phase.row.seq === seq;
  }

  #changed(): void {
    this.#deps.onChange(this.accountId);
  }
}
