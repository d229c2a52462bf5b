import { statfsSync } from 'node:fs';
import type { Clock } from '../base/clock.js';
import type { Way } from '../base/proxy/way-out.js';
import type { AgentServerFacts } from '../agent-server/index.js';
import type {
  AccountSnapshot,
  AgentSnapshot,
  ApiKeySnapshot,
  ConnectorSnapshot,
  OnboardingStep,
  QuestionSnapshot,
  RehearsalSnapshot,
  SecretsSnapshot,
  ServerSnapshot,
  Snapshot,
} from '../bridge/index.js';
import type { AuthSessionFacts, Connector } from '../connector/connector.js';
import type { Delivery } from '../delivery/delivery.js';
import type { AgentFacts, RefusedKeys } from '../server/index.js';
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
  readonly onboarding: () => OnboardingStep;
  readonly paused: () => boolean;
  readonly apiKey: () => ApiKeySnapshot | undefined;
  readonly server: () => ServerSnapshot;
  readonly agents: () => readonly AgentFacts[];
  readonly refusedKeys: () => RefusedKeys | undefined;
  readonly rehearsal: () => RehearsalSnapshot | undefined;
  /** @returns an account's pulse, one letter a minute */
  readonly pulse: (accountId: string) => string;
  /** @returns how a connector's network is reached */
  readonly way: (connector: string) => Way | undefined;
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
      onboarding: parts.onboarding(),
      paused: parts.paused(),
      agentServer,
      server: parts.server(),
      apiKey: parts.apiKey(),
      agents: agentSnapshots(parts),
      refusedKeys: parts.refusedKeys(),
      rehearsal: parts.rehearsal(),
      connectors: parts.connectors.map((connector) => connectorSnapshot(connector, parts, agentServer, url)),
    };
  };
}

function connectorSnapshot(
  connector: Connector,
  { delivery, pulse, way }: SnapshotParts,
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
    way: way(connector.name),
    authFlows: card.auth_flows,
    accounts: connector.accounts().map((account): AccountSnapshot => ({
      accountId: account.accountId,
      displayName: account.displayName,
      accountHint: account.accountHint,
      state: account.state,
      lastRoundTripAt: account.lastRoundTripAt,
      pulse: pulse(account.accountId),
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
    questions: connector.signInsOfAgents().flatMap(questionOf),
  };
}

function questionOf(signIn: AuthSessionFacts): QuestionSnapshot[] {
  if (!('inputRequired' in signIn)) return [];
  const { authSessionId, code, inputRequired: fields = [] } = signIn;
  return fields.length === 0 ? [] : [{ authSessionId, code, fields }];
}

function agentSnapshots({ agents, connectors }: SnapshotParts): AgentSnapshot[] {
  const links = connectors.flatMap((connector) => connector.channels().map(({ linkId }) => linkId));
  return agents().map(({ linkId, ...agent }) => ({
    ...agent,
    channels: links.filter((link) => link === linkId).length,
  }));
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
