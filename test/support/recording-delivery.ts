import type {
  Activity,
  Delivery,
  OutboundRequest,
  OutboundVerdict,
  QueueFacts,
  RecallRequest,
  TrafficFacts,
  Upstream,
} from '../../src/delivery/delivery.js';
import type { Intake, TargetSession } from '../../src/targets/target.js';

/** A delivery room that delivers nothing and remembers what it was told: for tests of who routes what to whom. */
export class RecordingDelivery implements Delivery {
  readonly routes = new Map<string, Upstream | undefined>();
  readonly sessions = new Map<string, TargetSession | undefined>();
  readonly requests: OutboundRequest[] = [];
  readonly forgottenAccounts: { readonly accountId: string; readonly reason: string }[] = [];
  readonly forgottenChannels: string[] = [];
  /** The answer to {@link deliver}; replace it to refuse or to wait. */
  onDeliver: (request: OutboundRequest) => Promise<OutboundVerdict> = () =>
    Promise.resolve({ status: 'accepted', messageIds: ['net-1'] });

  readonly intake: Intake = {
    state: () => undefined,
    commit: () => Promise.resolve(),
    roomFor: () => Promise.resolve(),
    fate: () => 'waiting',
  };

  /** Called with every change of a route. */
  onRoute: (accountId: string, upstream: Upstream | undefined) => void = () => undefined;

  route(accountId: string, upstream: Upstream | undefined): void {
    this.routes.set(accountId, upstream);
    this.onRoute(accountId, upstream);
  }

  attach(accountId: string, session: TargetSession | undefined): void {
    this.sessions.set(accountId, session);
  }

  /** The answer to {@link recall}; replace it to know a message already. */
  onRecall: (request: RecallRequest) => Promise<OutboundVerdict> | undefined = () => undefined;

  recall(request: RecallRequest): Promise<OutboundVerdict> | undefined {
    return this.onRecall(request);
  }

  deliver(request: OutboundRequest): Promise<OutboundVerdict> {
    this.requests.push(request);
    return this.onDeliver(request);
  }

  forgetAccount(accountId: string, reason: string): Promise<void> {
    this.forgottenAccounts.push({ accountId, reason });
    return Promise.resolve();
  }

  forgetChannel(channelId: string): Promise<void> {
    this.forgottenChannels.push(channelId);
    return Promise.resolve();
  }

  acknowledge(): void {}
  pause(): void {}
  retryNow(): void {}
  delta(): void {}
  activity(): void {}
  discard(): Promise<boolean> {
    return Promise.resolve(false);
  }
  queue(): QueueFacts {
    return {
      pending: 0,
      oldestReceivedAt: undefined,
      attempts: 0,
      lastError: undefined,
      retryAt: undefined,
      heldReplies: 0,
    };
  }
  pending(): [] {
    return [];
  }
  held(): [] {
    return [];
  }
  ended(): [] {
    return [];
  }
  counters(): Readonly<Record<string, number>> {
    return {};
  }
  text(): string | undefined {
    return undefined;
  }
  traffic(): TrafficFacts {
    return { bucketMs: 1, buckets: [] };
  }
  currentActivity(): Activity {
    return { status: 'idle' };
  }
  onChange(): () => void {
    return () => undefined;
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}
