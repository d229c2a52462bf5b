import type { AgentServerFacts } from '../agent-server/agent-server.js';
import type { DeliverTo } from '../connector/connector.js';
import type { Activity } from '../delivery/delivery.js';
import type { AuthFlow } from '../protocol/card.js';
import type { BindingState, ReplyWindow } from '../targets/target.js';

/**
 * Everything a window shows of a running host, as plain values. States come as codes with their times: words are the
 * window's own, by code and language. No secret is in it, and no message text. Times are Unix ms.
 */
export interface Snapshot {
  readonly version: string;
  readonly pid: number;
  readonly startedAt: number;
  /** Where the server listens: `http://127.0.0.1:19080`. */
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly secrets: SecretsSnapshot;
  readonly storage: StorageSnapshot;
  /** Delivery to agents is paused by the person. */
  readonly paused: boolean;
  /** The upstream of accounts that deliver to an AgentServer. */
  readonly agentServer: AgentServerFacts;
  readonly connectors: readonly ConnectorSnapshot[];
}

export interface SecretsSnapshot {
  readonly kind: 'keychain' | 'file';
  readonly state: 'ready' | 'locked' | 'absent' | 'failed';
  /** Stable reason while it is not ready. */
  readonly code: string | undefined;
  readonly since: number;
}

export interface StorageSnapshot {
  /** The database that was found damaged at the start lies here now; an empty one took its place. */
  readonly damagedSetAsideAs: string | undefined;
  /** The disk refuses writes: nothing is taken from the networks until it does again. */
  readonly intakePaused: string | undefined;
  /** Free space where the data lives, bytes; undefined where the system does not tell. */
  readonly freeBytes: number | undefined;
}

export interface ConnectorSnapshot {
  readonly name: string;
  readonly cardId: string;
  readonly label: string;
  readonly connectorId: string;
  readonly profile: string;
  readonly baseUrl: string;
  /** Agents connected right now. */
  readonly dataPlanes: number;
  /** Grace left before the lease ends channels and claimed sign-ins; undefined while an agent is connected. */
  readonly leaseLeftMs: number | undefined;
  readonly authFlows: readonly AuthFlow[];
  readonly accounts: readonly AccountSnapshot[];
}

export interface AccountSnapshot {
  readonly accountId: string;
  readonly displayName: string;
  readonly accountHint: string;
  readonly state: BindingState;
  readonly lastRoundTripAt: number | undefined;
  readonly channelId: string | undefined;
  /** Whether messages have somewhere to go right now: an agent's open route, or a connected AgentServer. */
  readonly agentConnected: boolean;
  readonly deliverTo: DeliverTo;
  /** The person's own choice; undefined while it follows its network's setting. */
  readonly ownDeliverTo: DeliverTo | undefined;
  readonly activity: Activity;
  readonly queue: QueueSnapshot;
  readonly counters: Readonly<Record<string, number>>;
  readonly replyWindow: ReplyWindow | undefined;
  readonly createdAt: number;
}

export interface QueueSnapshot {
  readonly pending: number;
  readonly oldestReceivedAt: number | undefined;
  readonly attempts: number;
  readonly lastError: string | undefined;
  readonly retryAt: number | undefined;
}
