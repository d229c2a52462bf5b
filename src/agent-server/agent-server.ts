import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import type { AgentServerPort } from '../connector/agent-server-port.js';
import type { Delivery } from '../delivery/delivery.js';
import type { FileStore } from '../files/file-store.js';
import type { Store } from '../store/index.js';

/** The `agentServer` keys of the configuration, and what else the upstream keeps to. Times in milliseconds. */
export interface AgentServerOptions {
  /** `ws:` or `wss:`. */
  readonly url: string;
  readonly mode: string;
  /** A request about which the server says nothing for this long, not even a keepalive, is given up. */
  readonly idleTimeoutMs: number;
  /** The only folder from which files named by path are read; null reads none. */
  readonly filesRoot: string | null;
  /** Where files named by download token are fetched; null is the server's own host, port {@link FILES_PORT}. */
  readonly filesUrl: string | null;
  /** How long an inbound message can be pending: a request that was begun is remembered for at least as long. */
  readonly pendingTtlMs: number;
  /** Whether the server runs on this machine: only then paths mean something to it. */
  readonly isLocal: boolean;
  /** How long a copy of an inbound file is kept for the agent. */
  readonly filesTtlMs: number;
}

/** The web server beside a stock AgentServer, which gives out files by token. */
export const FILES_PORT = 5173;

export interface AgentServerSetup {
  readonly delivery: Delivery;
  readonly store: Store;
  readonly files: FileStore;
  /** Copies of inbound files for the agent lie below it. */
  readonly dataDir: string;
  /** Takes one JSON line, without its end, per response. */
  readonly responseLog: (line: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** Random numbers in [0, 1) for jitter. */
  readonly random: () => number;
  readonly options: AgentServerOptions;
}

/** The live upstream: this program is the Gateway of one AgentServer, over one WebSocket, while an account needs it. */
export interface AgentServer extends AgentServerPort {
  /** Takes up what the last run left: answers on their way, and requests it broke off. @throws StoreError */
  start(): Promise<void>;
  facts(): AgentServerFacts;
  /** Called after something of {@link facts} changed. */
  onChange(fn: () => void): () => void;
  /** The machine slept or its network changed: try again now. */
  wake(): void;
  close(): Promise<void>;
}

/** How the connection stands. Codes are stable and have words in the message map. */
export type LinkState =
  | { readonly status: 'unused' }
  | { readonly status: 'connecting'; readonly since: number }
  | { readonly status: 'connected'; readonly since: number }
  | { readonly status: 'offline'; readonly code: LinkCode; readonly since: number; readonly retryAt: number };

export type LinkCode =
  | 'agent_server_unreachable'
  | 'agent_server_refused'
  | 'agent_server_not_ready'
  | 'agent_server_closed'
  | 'agent_server_frame_too_large'
  | 'agent_server_no_answer';

export interface AgentServerFacts {
  readonly state: LinkState;
  /** Accounts it serves. */
  readonly accounts: number;
  /** Requests under way. */
  readonly running: number;
  /** Answers that the networks have not taken yet. */
  readonly waitingAnswers: number;
  readonly counters: Readonly<Record<AgentServerCounter, number>>;
  /** What its owner must know while it is used: a second Gateway on the same server and this one cancel each other's work. */
  readonly warning: 'agent_server_second_gateway' | undefined;
}

/** How requests ended, since the start of the program. */
export type AgentServerCounter = 'answered' | 'failed' | 'interrupted' | 'asked' | 'lost' | 'dropped_frames';

/** The pseudo channel under which the answers of an AgentServer are remembered for an account. */
export function answerChannelOf(accountId: string): string {
  return `e2a:${accountId}`;
}
