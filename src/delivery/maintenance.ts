import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Store } from '../store/index.js';
import type { Dispatcher } from './dispatcher.js';
import type { Counters } from './counters.js';
import { ENDED_KEPT_MS, trimEnded } from './ended-log.js';
import { goneWithMessages } from './forget.js';
import type { HeldReplies } from './held-replies.js';
import { sweepLedger } from './ledger-sweep.js';
import type { DeliveryConfig } from './options.js';
import { accountsWithPending, pendingExpired } from './pending-queue.js';
import { forgetSeen, SEEN_KEPT_MS } from './seen.js';
import type { WriteBehind } from './write-behind.js';

/** Upper bound of the clean-up interval; half of the message TTL is the other (IM Profile v1 section 7.2). */
export const MAINTENANCE_MAX_INTERVAL_MS = 60_000;
const MAINTENANCE_MIN_INTERVAL_MS = 250;
/** Expired rows read at a time. */
const PAGE = 500;

function maintenanceInterval(ttlMs: number): number {
  return Math.max(Math.min(MAINTENANCE_MAX_INTERVAL_MS, Math.floor(ttlMs / 2)), MAINTENANCE_MIN_INTERVAL_MS);
}

interface MaintenanceDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: DeliveryConfig;
  readonly writeBehind: WriteBehind;
  readonly counters: Counters;
  readonly held: Pick<HeldReplies, 'expire'>;
  readonly dispatcher: (accountId: string) => Dispatcher;
  /** Ends every message of an account that is gone. */
  readonly forgetAccount: (accountId: string) => Promise<void>;
  /** Ledger entries that are being worked on and must not go. */
  readonly isRunning: (channelId: string, entryId: string) => boolean;
}

/**
 * Keeps every table bounded: expires pending and held messages, forgets old ids, trims the ledger and the record of endings, and removes
 * what is left of accounts that are gone.
 */
export class Maintenance {
  readonly #deps: MaintenanceDeps;
  #timer: Timer | undefined;
  #closed = false;

  constructor(deps: MaintenanceDeps) {
    this.#deps = deps;
    this.#expireNow();
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    const { clock, options, log } = this.#deps;
    this.#timer = clock.after(maintenanceInterval(options.delivery.ttlMs), () => {
      this.#run()
        .catch((error: unknown) => log.warn({ error: describeError(error) }, 'clean-up did not finish; it is repeated'))
        .finally(() => {
          if (!this.#closed) this.#schedule();
        });
    });
  }

  async #run(): Promise<void> {
    const { store, clock, options, counters, held, writeBehind, isRunning, forgetAccount } = this.#deps;
    for (const accountId of goneWithMessages(store.sql)) await forgetAccount(accountId);
    held.expire(clock.steady());
    while (this.#expireNow() && !this.#closed) await writeBehind.flush();
    // An id is kept while its message may still be pending, and the whole redelivery time after that.
    const olderThan = clock.steady() - SEEN_KEPT_MS - options.delivery.ttlMs;
    while (!this.#closed && (await store.write((sql) => forgetSeen(sql, olderThan))));
    await sweepLedger(store, options.ledger, clock.steady(), { isRunning, goOn: () => !this.#closed });
    if (this.#closed) return;
    await store.write((sql) => trimEnded(sql, clock.steady()));
    await counters.forgetGone(clock.steady() - ENDED_KEPT_MS);
  }

  /** @returns whether there are more rows to look at, once these are written */
  #expireNow(): boolean {
    const { store, clock, dispatcher } = this.#deps;
    let more = false;
    for (const accountId of accountsWithPending(store.sql)) {
      const rows = pendingExpired(store.sql, accountId, clock.steady(), PAGE);
      const ended = rows.filter((row) => dispatcher(accountId).expire(row));
      if (rows.length === PAGE && ended.length > 0) more = true;
    }
    return more;
  }
}
