import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { FileStore } from '../files/file-store.js';
import type { Store } from '../store/index.js';

/** The configuration slices this room owns, named as their keys in the configuration file. Times in milliseconds. */
export interface DeliveryConfig {
  readonly delivery: {
    /** How long an unacknowledged inbound message lives, from the moment it was stored; never extended. */
    readonly ttlMs: number;
    /** Pending messages per account beyond which the network is asked for no more. */
    readonly capacityPerChannel: number;
    /** How long an upstream may take to acknowledge one transmission. */
    readonly ackTimeoutMs: number;
    readonly retryInitialMs: number;
    readonly retryMaxMs: number;
  };
  readonly ledger: {
    /** How long a finished outbound message is remembered. */
    readonly ttlMs: number;
    readonly capacityPerChannel: number;
  };
  readonly deltas: {
    /** How long an unfinished streamed answer is kept after its last delta. */
    readonly ttlMs: number;
    readonly capacityPerChannel: number;
    /** Bytes of text kept of one unfinished answer; beyond it the preview stops growing. */
    readonly maxBytesPerMessage: number;
  };
  readonly activity: {
    /** How long a `thinking` or `tool` snapshot lives without a successor. */
    readonly timeoutMs: number;
  };
}

export interface DeliverySetup {
  readonly store: Store;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Random numbers in [0, 1) for jitter. */
  readonly random: () => number;
  readonly options: DeliveryConfig;
  /** Accounts that are no person's: their messages do not show in the traffic of the day. None when left out. */
  readonly uncounted?: (accountId: string) => boolean;
}
