import type { AgentServerFacts } from '../agent-server/agent-server.js';
import type { Way } from '../base/proxy/way-out.js';
import type { DeliverTo } from '../connector/connector.js';
import type { Activity } from '../delivery/delivery.js';
import type { AuthFlow } from '../protocol/card.js';
import type { BindingState, ReplyWindow } from '../targets/target.js';
import type { OnboardingStep } from './bridge.js';

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
  /** Where the first start stands, for every window of this host. */
  readonly onboarding: OnboardingStep;
  /** Delivery to agents is paused by the person. */
  readonly paused: boolean;
  /** The upstream of accounts that deliver to an AgentServer. */
  readonly agentServer: AgentServerFacts;
  readonly server: ServerSnapshot;
  /** Undefined while the key can't be read. */
  readonly apiKey: ApiKeySnapshot | undefined;
  /** Every data plane that said hello and is open. */
  readonly agents: readonly AgentSnapshot[];
  /** Callers whose API key was wrong since the start; undefined when there were none. */
  readonly refusedKeys: { readonly count: number; readonly lastAt: number; readonly address: string } | undefined;
  /** The rehearsal that runs, or the last one since the start. */
  readonly rehearsal: RehearsalSnapshot | undefined;
  readonly connectors: readonly ConnectorSnapshot[];
}

/** Whether agents can connect. A port that is taken stops nothing else. */
export type ServerSnapshot =
  | { readonly state: 'listening' }
  | {
      readonly state: 'port_taken';
      readonly port: number;
      /** Who holds it, where the system tells. */
      readonly holder: { readonly name: string; readonly pid: number } | undefined;
      /** A port that was free a moment ago. */
      readonly suggestedPort: number | undefined;
      readonly since: number;
    };

export interface ApiKeySnapshot {
  /** Its last four characters, to tell two keys apart. */
  readonly tail: string;
  /** Unix ms; undefined where it is not known. */
  readonly createdAt: number | undefined;
  /** It stands in the configuration, so it can't be rotated here. */
  readonly configured: boolean;
}

export interface AgentSnapshot {
  readonly connector: string;
  /** As it named itself in its hello. */
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly protocolVersion: string;
  readonly profile: string;
  readonly channels: number;
  readonly connectedAt: number;
  readonly lastPacketAt: number;
}

export interface RehearsalSnapshot {
  readonly status: 'running' | 'passed' | 'failed' | 'stopped';
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly steps: readonly RehearsalStep[];
}

export interface RehearsalStep {
  /** Has words in the window's map: `card`, `key`, `refusals`, `hello`, `channel`, `inbound`, `answer`, `repeat`, `file`, `cleanup`. */
  readonly id: string;
  readonly status: 'todo' | 'running' | 'passed' | 'failed';
  readonly tookMs: number | undefined;
  /** Why it failed; has words in the window's map. */
  readonly code: string | undefined;
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
  /** How the network is reached, as its newest connection was; undefined where that is not known yet, and for the local chat. */
  readonly way: Way | undefined;
  readonly authFlows: readonly AuthFlow[];
  readonly accounts: readonly AccountSnapshot[];
  /** What sign-ins that agents began ask of the person, who answers by `sign-in-input`. */
  readonly questions: readonly QuestionSnapshot[];
}

export interface QuestionSnapshot {
  readonly authSessionId: string;
  /** What to tell the person; has words in the window's map. */
  readonly code: string;
  /** Fields that are asked for, such as `verify_code`. */
  readonly fields: readonly string[];
}

export interface AccountSnapshot {
  readonly accountId: string;
  readonly displayName: string;
  readonly accountHint: string;
  readonly state: BindingState;
  readonly lastRoundTripAt: number | undefined;
  /**
   * The last 30 minutes, one letter each, oldest first, the running one last: `a` a round trip completed, `l` one did, late,
   * `n` none did, `s` the machine slept, `-` the account was not there yet or the host did not run.
   */
  readonly pulse: string;
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
  /** Messages of the agent that wait until the network takes replies again: for the person to write. */
  readonly heldReplies?: number;
}
