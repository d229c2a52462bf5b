import { statfsSync } from 'node:fs';
import type { Clock } from '../base/clock.js';
import type { AgentServerFacts } from '../agent-server/index.js';
import type { AccountSnapshot, ConnectorSnapshot, SecretsSnapshot, Snapshot } from '../bridge/index.js';
import type { Connector } from '../connector/connector.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Store } from '../store/index.js';

/** Free space is looked up at most this often; milliseconds. */
const FREE_SPACE_FRESH_MS = 10_000;

export interface SnapshotParts {
  readonly version: string;
  readonly dataDir: string;
  readonly startedAt: number;
  readonly clock: Clock;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly connectors: readonly Connector[];
  readonly secrets: () => SecretsSnapshot;
  readonly agentServer: () => AgentServerFacts;
  readonly paused: () => boolean;
  readonly address: () => { readonly url: string; readonly port: number };
}

/** Everything a window shows, as it is now. */
export function createSnapshots(parts: SnapshotParts): () => Snapshot {
  const freeBytes = cached(parts.clock, FREE_SPACE_FRESH_MS, () => freeSpace(parts.dataDir));
  return () => {
    const { url, port } = parts.address();
    const agentServer = parts.agentServer();
    return {
      version: parts.version,
      pid: process.pid,
      startedAt: parts.startedAt,
      url,
      port,
      dataDir: parts.dataDir,
      secrets: parts.secrets(),
      storage: {
        damagedSetAsideAs: parts.store.damaged?.setAsideAs,
        intakePaused: parts.store.failing,
        freeBytes: freeBytes(),
      },
      paused: parts.paused(),
      agentServer,
      connectors: parts.connectors.map((connector) => connectorSnapshot(connector, parts.delivery, agentServer, url)),
    };
  };
}

function connectorSnapshot(
  connector: Connector,
  delivery: Delivery,
  agentServer: AgentServerFacts,
  url: string,
): ConnectorSnapshot {
  const { card } = connector;
  return {
    name: connector.name,
    cardId: card.connector_card_id,
    label: card.supports.targets[0]?.label ?? connector.name,
    connectorId: connector.connectorId,
    profile: connector.profile,
    baseUrl: `${url}/${connector.name}`,
    dataPlanes: connector.dataPlanes,
    leaseLeftMs: connector.leaseLeftMs,
    authFlows: card.auth_flows,
    accounts: connector.accounts().map((account): AccountSnapshot => ({
      accountId: account.accountId,
      displayName: account.displayName,
      accountHint: account.accountHint,
      state: account.state,
      lastRoundTripAt: account.lastRoundTripAt,
      channelId: account.channelId,
      agentConnected:
        account.deliverTo === 'agentServer' ? agentServer.state.status === 'connected' : account.agentConnected,
      deliverTo: account.deliverTo,
      ownDeliverTo: account.ownDeliverTo,
      activity: delivery.currentActivity(account.accountId),
      queue: delivery.queue(account.accountId),
      counters: delivery.counters(account.accountId),
      replyWindow: account.replyWindow,
      createdAt: account.createdAt,
    })),
  };
}

function freeSpace(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

function cached<T>(clock: Clock, freshMs: number, read: () => T): () => T {
  let value: T;
  let readAt = -Infinity;
  return () => {
    if (clock.monotonic() - readAt >= freshMs) {
      value = read();
      readAt = clock.monotonic();
    }
    return value;
  };
}
