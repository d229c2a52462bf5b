import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../src/base/clock.js';
import {
  createDelivery,
  type Delivery,
  type DeliveryConfig,
  type OfferedMessage,
  type Upstream,
} from '../../src/delivery/index.js';
import { openStore, StoreError, type Sql, type Store } from '../../src/store/index.js';
import type {
  InboundMessage,
  OutboundMessage,
  OutboundPart,
  Receipt,
  TargetSession,
} from '../../src/targets/target.js';
import { ManualClock, settle } from './manual-clock.js';
import { MemoryFiles } from './memory-files.js';
import { quietLog } from './quiet-log.js';

export const OPTIONS: DeliveryConfig = {
  delivery: {
    ttlMs: 3_600_000,
    capacityPerChannel: 1000,
    ackTimeoutMs: 30_000,
    retryInitialMs: 1_000,
    retryMaxMs: 60_000,
  },
  ledger: { ttlMs: 604_800_000, capacityPerChannel: 10_000 },
  deltas: { ttlMs: 600_000, capacityPerChannel: 64, maxBytesPerMessage: 1_048_576 },
  activity: { timeoutMs: 180_000 },
};

/** Group commits and promise chains of several steps come to rest; no time passes. */
export const rest = (): Promise<void> => settle(40);

/**
 * A store that can be made to refuse, and to die: a dead store takes nothing and never answers, as for a killed process.
 */
export class MortalStore implements Store {
  refuse: StoreError['code'] | undefined;
  /** Called before and after each write; a crash is a write that is never answered. */
  step: () => void = () => undefined;
  dead = false;

  constructor(readonly inner: Store) {}

  get sql(): Sql {
    return this.inner.sql;
  }

  get damaged(): Store['damaged'] {
    return this.inner.damaged;
  }

  get failing(): Store['failing'] {
    return this.inner.failing;
  }

  /** At once, whatever its urgency: what a crash costs is decided by where it comes, not by a clock. */
  async write<T>(fn: (sql: Sql) => T): Promise<T> {
    this.step();
    if (this.dead) return never();
    try {
      const result = await this.inner.write((sql) => {
        // What is queued when the process is killed is not written.
        if (this.isDead()) throw new Error('killed');
        const value = fn(sql);
        if (this.refuse) throw new StoreError(this.refuse, 'refused by the test');
        return value;
      });
      this.step();
      return this.isDead() ? await never() : result;
    } catch (error) {
      if (this.isDead()) return never();
      throw error;
    }
  }

  flush(): Promise<void> {
    return this.inner.flush();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  // A call, because the compiler does not see that `step` may change the field.
  private isDead(): boolean {
    return this.dead;
  }
}

export function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

/** An agent that takes what it is offered and says nothing, until the test answers for it. */
export class SilentAgent implements Upstream {
  readonly kind = 'xagent';
  readonly offers: OfferedMessage[] = [];
  answer: (message: OfferedMessage) => Promise<'sent' | 'done'> = () => Promise.resolve('sent');

  transmit(message: OfferedMessage): Promise<'sent' | 'done'> {
    this.offers.push(message);
    return this.answer(message);
  }

  get ids(): string[] {
    return this.offers.map((offer) => offer.messageId);
  }
}

/** A chat network that keeps what was sent to it. Each call takes the next fault of `faults`, if there is one. */
export class FakeNetwork implements TargetSession {
  readonly lastRoundTripAt = undefined;
  idempotentSends = false;
  idempotentForMs?: number;
  readonly sent: { part: OutboundPart; key: string }[] = [];
  /** Before: the call fails without effect. After: it fails although it had its effect. */
  readonly faults: { before?: Error; after?: Error; hang?: boolean }[] = [];
  gate: Promise<void> = Promise.resolve();
  fetch?: NonNullable<TargetSession['fetch']>;
  typing?: NonNullable<TargetSession['typing']>;
  stream?: NonNullable<TargetSession['stream']>;

  plan(message: OutboundMessage): readonly OutboundPart[] {
    const texts = message.text === '' ? [] : message.text.split('|').map((text) => ({ kind: 'text', text }) as const);
    return [...texts, ...message.files.map((file) => ({ kind: 'file', file }) as const)];
  }

  async send(part: OutboundPart, key: string, _signal?: AbortSignal): Promise<Receipt> {
    await this.gate;
    const fault = this.faults.shift();
    if (fault?.hang) return never();
    if (fault?.before !== undefined) throw fault.before;
    if (!this.idempotentSends || !this.sent.some((earlier) => earlier.key === key)) this.sent.push({ part, key });
    if (fault?.after !== undefined) throw fault.after;
    return { messageId: `n${String(this.sent.length)}` };
  }

  async close(): Promise<void> {}

  get texts(): string[] {
    return this.sent.map(({ part }) => (part.kind === 'text' ? part.text : part.file.filename));
  }
}

export interface World {
  readonly clock: ManualClock;
  readonly store: MortalStore;
  readonly files: MemoryFiles;
  readonly delivery: Delivery;
  readonly options: DeliveryConfig;
  /** Throws this run of the program away, as kill -9 does, and starts the next on the same disk. */
  crash(options?: Partial<DeliveryConfig>): World;
  /** Removes the disk. */
  end(): Promise<void>;
}

export async function openWorld(options: Partial<DeliveryConfig> = {}): Promise<World> {
  const clock = new ManualClock();
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'delivery-'));
  const inner = await openStore({ dataDir, clock, log: quietLog });
  const start = (files: MemoryFiles, config: DeliveryConfig): World => {
    const store = new MortalStore(inner);
    // A killed process has no timers.
    const mortalClock: Clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      steady: () => clock.steady(),
      after: (ms, fn) =>
        clock.after(ms, () => {
          if (!store.dead) fn();
        }),
    };
    const delivery = createDelivery({
      store,
      files,
      clock: mortalClock,
      log: quietLog,
      random: () => 0,
      options: config,
    });
    const world: World = {
      clock,
      store,
      files,
      delivery,
      options: config,
      crash: (changed) => {
        store.dead = true;
        return start(files, { ...config, ...changed });
      },
      end: async () => {
        store.refuse = undefined;
        await Promise.race([delivery.close(), rest()]);
        await inner.close();
        fs.rmSync(dataDir, { recursive: true, force: true });
      },
    };
    return world;
  };
  return start(new MemoryFiles(), { ...OPTIONS, ...options });
}

/** A message of a person, with only what the test cares about said. */
export function message(id: string, more: Partial<InboundMessage> = {}): InboundMessage {
  return {
    id,
    text: `text of ${id}`,
    attachments: [],
    sender: { id: 'alice' },
    conversation: { id: 'chat', type: 'p2p' },
    ...more,
  };
}

export function receive(delivery: Delivery, accountId: string, ...messages: InboundMessage[]): Promise<void> {
  return delivery.intake.commit({
    consumer: `net/${accountId}`,
    state: {},
    messages: messages.map((one) => ({ accountId, message: one })),
  });
}
