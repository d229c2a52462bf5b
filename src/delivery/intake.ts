import { abortReason, type Clock } from '../base/clock.js';
import { putConsumerState, readConsumerState, type Sql, type Store } from '../store/index.js';
import type { InboundMessage, Intake, IntakeBatch, MessageFate } from '../targets/target.js';
import type { Attachments } from './attachments.js';
import type { Count, Counters } from './counters.js';
import type { Dispatcher } from './dispatcher.js';
import { endingOf } from './ended-log.js';
import type { DeliveryConfig } from './options.js';
import { canMerge, mergePart, newBody } from './pending-body.js';
import {
  findMergeable,
  HOLD_MAX_MS,
  insertPending,
  isComplete,
  PendingSequence,
  replaceBody,
  type PendingRow,
} from './pending-queue.js';
import { markSeen } from './seen.js';

/**
 * Messages kept above `delivery.capacityPerChannel` before the oldest is given up. Who asks the network waits for room first,
 * so one batch that was asked for just before may still come in, and 100 is the largest batch of any network here.
 * Beyond it the network can't be held back, and the oldest goes (`capacity_exceeded`).
 */
export const OVERFLOW_MESSAGES = 100;

export function hardLimit(capacity: number): number {
  return capacity + OVERFLOW_MESSAGES;
}

/** Counted under `ignored.` like the reasons a target gives. */
const IGNORED = 'ignored.';
const ALREADY_SEEN = `${IGNORED}already_seen`;
const EMPTY = `${IGNORED}empty`;

interface IntakeDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly attachments: Attachments;
  readonly dispatcher: (accountId: string) => Dispatcher;
  readonly options: DeliveryConfig['delivery'];
  /** This many messages were taken over. */
  readonly received: (accountId: string, messages: number) => void;
  readonly onChange: (accountId: string) => void;
}

/** What one batch put into the queue of an account. */
interface Added {
  readonly rows: PendingRow[];
  readonly toFetch: number[];
}

/** Takes messages over from the networks: durable, each once, and no more than there is room for. */
export class MessageIntake implements Intake {
  readonly #deps: IntakeDeps;
  readonly #sequence: PendingSequence;
  readonly #waiting = new Set<() => void>();

  constructor(deps: IntakeDeps) {
    this.#deps = deps;
    this.#sequence = new PendingSequence(deps.store.sql);
  }

  state(consumer: string, key: string): string | undefined {
    return readConsumerState(this.#deps.store.sql, consumer, key);
  }

  fate(accountId: string, messageId: string): MessageFate {
    const { store, dispatcher } = this.#deps;
    if (dispatcher(accountId).isPending(messageId)) return 'waiting';
    // Not on record any more, or never: what is taken off the queue without a word was delivered.
    return endingOf(store.sql, accountId, messageId) ?? 'delivered';
  }

  async commit(batch: IntakeBatch): Promise<void> {
    const { counters, attachments, dispatcher, options, onChange } = this.#deps;
    const added = await counters.write((sql, count) => this.#store(sql, count, batch));
    for (const [accountId, { rows, toFetch }] of added) {
      this.#deps.received(accountId, rows.length);
      attachments.add(accountId, toFetch);
      dispatcher(accountId).added(rows);
      dispatcher(accountId).evictDownTo(hardLimit(options.capacityPerChannel));
    }
    for (const { accountId } of batch.ignored ?? []) onChange(accountId);
  }

  async roomFor(accountIds: readonly string[], signal: AbortSignal, enough: 'all' | 'any' = 'all'): Promise<void> {
    while (!this.#hasRoom(accountIds, enough)) {
      await new Promise<void>((resolve, reject) => {
        const wake = (): void => {
          this.#waiting.delete(wake);
          signal.removeEventListener('abort', onAbort);
          resolve();
        };
        const onAbort = (): void => {
          this.#waiting.delete(wake);
          reject(abortReason(signal));
        };
        if (signal.aborted) {
          onAbort();
          return;
        }
        this.#waiting.add(wake);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    }
  }

  /** A queue became shorter. */
  roomChanged(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #hasRoom(accountIds: readonly string[], enough: 'all' | 'any'): boolean {
    const { dispatcher, options } = this.#deps;
    const hasRoom = (accountId: string): boolean => dispatcher(accountId).count < options.capacityPerChannel;
    return enough === 'all' ? accountIds.every(hasRoom) : accountIds.length === 0 || accountIds.some(hasRoom);
  }

  #store(sql: Sql, count: Count, batch: IntakeBatch): Map<string, Added> {
    const now = this.#deps.clock.steady();
    const added = new Map<string, Added>();
    for (const { accountId, message } of batch.messages) {
      if (markSeen(sql, accountId, [message.id, ...(message.dedupKeys ?? [])], now)) count(accountId, ALREADY_SEEN);
      else if (message.text === '' && message.attachments.length === 0) count(accountId, EMPTY);
      else if (!joinAlbum(sql, accountId, message, now)) this.#insert(sql, accountId, message, now, added);
    }
    for (const { accountId, reason } of batch.ignored ?? []) count(accountId, IGNORED + reason);
    putConsumerState(sql, batch.consumer, batch.state);
    return added;
  }

  #insert(sql: Sql, accountId: string, message: InboundMessage, now: number, added: Map<string, Added>): void {
    const hold = message.mergeKey === undefined ? 0 : Math.min(message.mergeWindowMs ?? 0, HOLD_MAX_MS);
    const row = insertPending(sql, {
      seq: this.#sequence.next(),
      accountId,
      message,
      body: newBody(message),
      holdUntil: now + hold,
      receivedAt: now,
      expiresAt: now + this.#deps.options.ttlMs,
    });
    if (row === undefined) return;
    const own = added.get(accountId) ?? { rows: [], toFetch: [] };
    added.set(accountId, own);
    own.rows.push(row);
    if (!isComplete(row)) own.toFetch.push(row.seq);
  }
}

/** Adds a part to its album while that may still grow. The album's own time and place in the queue stay the first part's. */
function joinAlbum(sql: Sql, accountId: string, message: InboundMessage, now: number): boolean {
  if (message.mergeKey === undefined) return false;
  const album = findMergeable(sql, accountId, message.mergeKey, now);
  if (!album?.body || !canMerge(album.body, message)) return false;
  replaceBody(sql, album, mergePart(album.body, message));
  return true;
}
