import { Activities } from './activity.js';
import { Attachments } from './attachments.js';
import { Changes } from './changes.js';
import { Counters } from './counters.js';
import type { Activity, Delivery, EndedFacts, HeldFacts, OutboundRequest, OutboundVerdict } from './delivery.js';
import type {
  OutboundRoute,
  PendingFacts,
  QueueFacts,
  RecallRequest,
  TrafficFacts,
  Upstream,
  Verdict,
} from './delivery.js';
import { Dispatcher, type DispatcherDeps } from './dispatcher.js';
import { listEnded } from './ended-log.js';
import { forgetInbound } from './forget.js';
import { hardLimit, MessageIntake } from './intake.js';
import { HeldReplies } from './held-replies.js';
import { Lanes } from './lane.js';
import { Ledger } from './ledger.js';
import { Maintenance } from './maintenance.js';
import type { DeliverySetup } from './options.js';
import { Outbound } from './outbound.js';
import { listPending } from './pending-list.js';
import { accountsWithPending, pendingByMessageId } from './pending-queue.js';
import { Sessions } from './sessions.js';
import { Streams } from './streams.js';
import { Traffic } from './traffic.js';
import { WriteBehind } from './write-behind.js';
import type { Intake, TargetSession } from '../targets/target.js';

/** Why messages end whose account turns out to be gone; by then nobody knows what ended it. */
const SIGNED_OUT = 'signed_out';

/** Takes up where the last run stopped; nothing is offered or sent before routes and sessions are there. */
export function createDelivery(setup: DeliverySetup): Delivery {
  return new DeliveryRoom(setup);
}

/** The parts of delivery, put together; what each does is said where it lives. */
class DeliveryRoom implements Delivery {
  readonly intake: Intake;
  readonly #setup: DeliverySetup;
  readonly #changes = new Changes();
  readonly #sessions = new Sessions();
  readonly #dispatchers = new Map<string, Dispatcher>();
  readonly #dispatcherDeps: DispatcherDeps;
  readonly #writeBehind: WriteBehind;
  readonly #counters: Counters;
  readonly #attachments: Attachments;
  readonly #ledger: Ledger;
  readonly #activities: Activities;
  readonly #streams: Streams;
  readonly #outbound: Outbound;
  readonly #held: HeldReplies;
  readonly #maintenance: Maintenance;
  readonly #traffic: Traffic;
  #paused = false;
  #closing: Promise<void> | undefined;

  constructor(setup: DeliverySetup) {
    this.#setup = setup;
    const { store, clock, options } = setup;
    const sessions = this.#sessions;
    const lanes = new Lanes();
    const dispatcher = (accountId: string): Dispatcher => this.#dispatcher(accountId);
    const isRunning = (channelId: string, entryId: string): boolean => this.#outbound.isRunning(channelId, entryId);
    const notify = this.#changes.notify;

    const writeBehind = new WriteBehind(setup);
    const traffic = new Traffic(setup);
    this.#traffic = traffic;
    const counters = new Counters(store, (accountId, name, by = 1) => {
      if (name === 'sent' && this.#isCounted(accountId)) traffic.sent(by);
    });
    const attachments = new Attachments({ ...setup, sessions, writeBehind });
    const intake = new MessageIntake({
      store,
      clock,
      counters,
      attachments,
      dispatcher,
      options: options.delivery,
      received: (accountId, messages) => {
        if (this.#isCounted(accountId)) traffic.received(messages);
      },
      onChange: notify,
    });
    this.#dispatcherDeps = {
      ...setup,
      options: options.delivery,
      writeBehind,
      counters,
      attachments,
      paused: () => this.#paused,
      settled: (accountId, messageId, fate) => sessions.get(accountId)?.settled?.(messageId, fate),
      onChange: (accountId) => {
        intake.roomChanged();
        this.#noteWaiting(accountId);
        notify(accountId);
      },
    };
    const ledger = new Ledger({ ...setup, counters, writeBehind, now: () => clock.steady() });
    const activities = new Activities({ ...setup, sessions, timeoutMs: options.activity.timeoutMs, onChange: notify });
    const streams = new Streams({ ...setup, sessions, ledger, lanes, activities, isRunning, options: options.deltas });
    const held = new HeldReplies({
      ...setup,
      sessions,
      ledger,
      lanes,
      writeBehind,
      isWorking: (accountId, channelId) =>
        activities.current(accountId).status !== 'idle' || streams.isGrowing(channelId),
      onChange: notify,
    });
    this.#outbound = new Outbound({ ...setup, sessions, ledger, lanes, activities, streams, held, onChange: notify });
    const forgetAccount = (accountId: string): Promise<void> => this.forgetAccount(accountId, SIGNED_OUT);
    const cleaning = { writeBehind, counters, held, dispatcher, isRunning, forgetAccount };
    this.#maintenance = new Maintenance({ ...setup, ...cleaning });
    this.#held = held;
    this.intake = intake;
    this.#writeBehind = writeBehind;
    this.#counters = counters;
    this.#attachments = attachments;
    this.#ledger = ledger;
    this.#activities = activities;
    this.#streams = streams;
    for (const accountId of accountsWithPending(store.sql)) {
      dispatcher(accountId).evictDownTo(hardLimit(options.delivery.capacityPerChannel));
      attachments.resume(accountId);
      this.#noteWaiting(accountId);
    }
  }

  // ---------------------------------------------------------------- inbound

  route(accountId: string, upstream: Upstream | undefined): void {
    this.#dispatcher(accountId).route(upstream);
  }

  attach(accountId: string, session: TargetSession | undefined): void {
    this.#sessions.set(accountId, session);
    if (session) {
      this.#outbound.attached(accountId, session);
      this.#activities.attached(accountId);
    }
    this.#held.attached(accountId, session);
  }

  acknowledge(accountId: string, messageId: string, verdict: Verdict): void {
    this.#dispatcher(accountId).acknowledge(messageId, verdict);
  }

  pause(paused: boolean): void {
    this.#paused = paused;
    if (!paused) for (const dispatcher of this.#dispatchers.values()) dispatcher.pump();
  }

  retryNow(accountId: string): void {
    this.#dispatcher(accountId).retryNow();
    this.#held.kick(accountId);
  }

  async discard(accountId: string, messageId: string): Promise<boolean> {
    return (await this.#dispatcher(accountId).discard(messageId)) || (await this.#held.discard(accountId, messageId));
  }

  // ---------------------------------------------------------------- outbound

  recall(request: RecallRequest): Promise<OutboundVerdict> | undefined {
    return this.#outbound.recall(request);
  }

  deliver(request: OutboundRequest): Promise<OutboundVerdict> {
    return this.#outbound.deliver(request);
  }

  delta(route: OutboundRoute, messageId: string, sequence: number, text: string): void {
    this.#streams.delta(route, messageId, sequence, text);
  }

  activity(route: OutboundRoute, activity: Activity): void {
    this.#activities.set(route.accountId, activity);
    this.#held.noteActivity(route.accountId, activity.status === 'idle');
  }

  // ---------------------------------------------------------------- lives

  async forgetAccount(accountId: string, reason: string): Promise<void> {
    const dispatcher = this.#dispatcher(accountId);
    // Closed, but not replaced before its rows are gone, or the next one would count them.
    dispatcher.close();
    this.#attachments.forget(accountId);
    this.#activities.clear(accountId);
    try {
      await this.#held.forgetAccount(accountId, reason);
      const { clock } = this.#setup;
      await this.#counters.write((sql, count) => {
        const ended = forgetInbound(sql, accountId, reason, clock.steady(), (seq) => dispatcher.hasEnded(seq));
        if (ended > 0) count(accountId, 'discarded', ended);
      });
    } finally {
      this.#dispatchers.delete(accountId);
      this.#dispatcherDeps.onChange(accountId);
    }
  }

  async forgetChannel(channelId: string): Promise<void> {
    await Promise.all([this.#streams.forgetChannel(channelId), this.#outbound.endChannel(channelId)]);
    await this.#ledger.forget(channelId);
  }

  // ---------------------------------------------------------------- facts

  queue(accountId: string): QueueFacts {
    return { ...this.#dispatcher(accountId).facts(), heldReplies: this.#held.count(accountId) };
  }

  pending(accountId: string, limit: number): readonly PendingFacts[] {
    const dispatcher = this.#dispatcher(accountId);
    const { store, clock } = this.#setup;
    return listPending({ sql: store.sql, clock }, accountId, limit, (seq) => dispatcher.hasEnded(seq));
  }

  ended(accountId: string, limit: number): readonly EndedFacts[] {
    const { store, clock } = this.#setup;
    return listEnded({ sql: store.sql, clock }, accountId, limit);
  }

  held(accountId: string, limit: number): readonly HeldFacts[] {
    return this.#held.list(accountId, limit);
  }

  counters(accountId: string): Readonly<Record<string, number>> {
    return this.#counters.of(accountId);
  }

  currentActivity(accountId: string): Activity {
    return this.#activities.current(accountId);
  }

  text(accountId: string, messageId: string): string | undefined {
    const row = pendingByMessageId(this.#setup.store.sql, accountId, messageId);
    return row === undefined || this.#dispatcher(accountId).hasEnded(row.seq) ? undefined : row.body?.message.text;
  }

  traffic(): TrafficFacts {
    return this.#traffic.facts();
  }

  onChange(fn: (accountId: string) => void): () => void {
    return this.#changes.add(fn);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#maintenance.close();
    for (const dispatcher of this.#dispatchers.values()) dispatcher.close();
    this.#attachments.close();
    this.#activities.close();
    this.#streams.close();
    await this.#outbound.close();
    await this.#writeBehind.close();
    await this.#traffic.close();
  }

  #noteWaiting(accountId: string): void {
    if (this.#isCounted(accountId)) this.#traffic.waits(accountId, this.#dispatchers.get(accountId)?.count ?? 0);
  }

  #isCounted(accountId: string): boolean {
    return this.#setup.uncounted?.(accountId) !== true;
  }

  #dispatcher(accountId: string): Dispatcher {
    let dispatcher = this.#dispatchers.get(accountId);
    if (!dispatcher) {
      dispatcher = new Dispatcher(accountId, this.#dispatcherDeps);
      this.#dispatchers.set(accountId, dispatcher);
      if (this.#closing) dispatcher.close();
    }
    return dispatcher;
  }
}
