import type { AccountFacts, ChannelFacts, Connector, DeliverTo } from '../connector/connector.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Build, ConnectionStatus, ImProfile } from '../protocol/index.js';

/** What `GET /status` answers: plain values for people's scripts and monitors. Times are Unix ms, durations ms. */
export interface StatusReport {
  readonly version: string;
  readonly build: Build;
  readonly uptime_ms: number;
  readonly connectors: readonly ConnectorStatus[];
  readonly agent_server: AgentServerStatus;
}

/** The AgentServer, the other place that accounts deliver to; a network in order says nothing about it. */
export interface AgentServerStatus {
  /** `unused` while no account delivers there. */
  readonly status: 'unused' | 'connecting' | 'connected' | 'offline';
  /** Stable reason; null while there is nothing to explain. */
  readonly code: string | null;
  readonly since: number | null;
  /** When it is tried again. */
  readonly retry_at: number | null;
  readonly accounts: number;
  /** Requests under way. */
  readonly running: number;
  /** Answers that the networks have not taken yet. */
  readonly waiting_answers: number;
  /** How its requests ended, since the start. */
  readonly counters: Readonly<Record<string, number>>;
}

export interface ConnectorStatus {
  readonly name: string;
  readonly connector_card_id: string;
  readonly connector_card_version: string;
  readonly connector_id: string;
  readonly profile: ImProfile;
  /** Agents connected right now. */
  readonly data_planes: number;
  /** Grace left before the lease ends; null while an agent is connected. */
  readonly lease_left_ms: number | null;
  readonly channels: readonly ChannelStatus[];
  /** Signed in, but no agent has asked for it. */
  readonly accounts_without_channel: readonly AccountStatus[];
}

export interface ChannelStatus extends Omit<AccountStatus, 'account_id' | 'deliver_to'> {
  readonly connector_channel_id: string;
  /** Null while nobody is signed in on it. */
  readonly account_id: string | null;
  readonly deliver_to: DeliverTo | null;
  /** Whether an agent has the channel open. */
  readonly open: boolean;
}

export interface AccountStatus {
  readonly account_id: string;
  readonly account_hint: string;
  /** Where its messages go. */
  readonly deliver_to: DeliverTo;
  readonly binding: BindingStatus;
  /** The last completed round trip with the chat network; null when there was none since the start. */
  readonly last_round_trip_at: number | null;
  readonly pending: number;
  readonly oldest_age_ms: number | null;
  /** Tries the oldest pending message has had. */
  readonly attempts: number;
  readonly last_error: string | null;
  readonly retry_at: number | null;
  /** Messages of the agent that wait until the network takes replies again. */
  readonly held_replies: number;
  /** Messages that the network still takes, and until when, before the person writes again; null where there is no such limit. */
  readonly reply_window: { readonly remaining: number; readonly limit: number; readonly until: number } | null;
  readonly counters: Readonly<Record<string, number>>;
}

export interface BindingStatus {
  readonly status: ConnectionStatus;
  /** Stable reason; null while there is nothing to explain. */
  readonly code: string | null;
  readonly since: number | null;
}

/** Present from the first report on, so that a monitor can tell "none" from "not counted". */
const PROMISED_COUNTERS = { delivered: 0, duplicate: 0, rejected: 0, expired: 0, evicted: 0 };

/** @param meta `now` is wall time, Unix ms; `uptimeMs` counts from the host's start */
export function buildStatusReport(
  connectors: readonly Connector[],
  delivery: Delivery,
  meta: {
    readonly build: Build;
    readonly now: number;
    readonly uptimeMs: number;
    readonly agentServer: AgentServerStatus;
  },
): StatusReport {
  return {
    version: meta.build.version,
    build: meta.build,
    uptime_ms: Math.round(meta.uptimeMs),
    connectors: connectors.map((connector) => connectorStatus(connector, delivery, meta.now)),
    agent_server: meta.agentServer,
  };
}

function connectorStatus(connector: Connector, delivery: Delivery, now: number): ConnectorStatus {
  const accounts = new Map(connector.accounts().map((account) => [account.accountId, account]));
  const channels = connector.channels();
  const claimed = new Set(channels.map((channel) => channel.accountId));
  return {
    name: connector.name,
    connector_card_id: connector.card.connector_card_id,
    connector_card_version: connector.card.connector.version,
    connector_id: connector.connectorId,
    profile: connector.profile,
    data_planes: connector.dataPlanes,
    lease_left_ms: connector.leaseLeftMs ?? null,
    channels: channels.map((channel) => channelStatus(channel, accounts, delivery, now)),
    accounts_without_channel: [...accounts.values()]
      .filter((account) => !claimed.has(account.accountId))
      .map((account) => accountStatus(account, delivery, now)),
  };
}

function channelStatus(
  channel: ChannelFacts,
  accounts: ReadonlyMap<string, AccountFacts>,
  delivery: Delivery,
  now: number,
): ChannelStatus {
  const account = channel.accountId === undefined ? undefined : accounts.get(channel.accountId);
  const route = { connector_channel_id: channel.channelId, open: channel.open };
  if (account) return { ...accountStatus(account, delivery, now), ...route };
  return {
    ...route,
    account_id: null,
    account_hint: '',
    deliver_to: null,
    binding: { status: channel.descriptor.connection.status, code: null, since: null },
    last_round_trip_at: null,
    pending: 0,
    oldest_age_ms: null,
    attempts: 0,
    last_error: null,
    retry_at: null,
    held_replies: 0,
    reply_window: null,
    counters: PROMISED_COUNTERS,
  };
}

function accountStatus(account: AccountFacts, delivery: Delivery, now: number): AccountStatus {
  const queue = delivery.queue(account.accountId);
  const { state } = account;
  return {
    account_id: account.accountId,
    account_hint: account.accountHint,
    deliver_to: account.deliverTo,
    binding: { status: state.status, code: 'code' in state ? state.code : null, since: state.since },
    last_round_trip_at: account.lastRoundTripAt ?? null,
    pending: queue.pending,
    // The wall clock may have been set back since.
    oldest_age_ms: queue.oldestReceivedAt === undefined ? null : Math.max(0, now - queue.oldestReceivedAt),
    attempts: queue.attempts,
    last_error: queue.lastError ?? null,
    retry_at: queue.retryAt ?? null,
    held_replies: queue.heldReplies,
    reply_window: account.replyWindow ?? null,
    counters: { ...PROMISED_COUNTERS, ...delivery.counters(account.accountId) },
  };
}
