import type { InboundFileItem } from '../protocol/index.js';
import type { StoredFile } from '../files/file-store.js';
import type { InboundMessage, Intake, TargetSession } from '../targets/target.js';

/**
 * Never lost, never twice. Inbound: stored with the network's cursor, offered to the account's upstream oldest first,
 * ended by its acknowledgment. Outbound: the ledger answers "done, running, or new?" before the network is called.
 */
export interface Delivery {
  readonly intake: Intake;

  // -------------------------------------------------------------- inbound
  /** Where an account's messages go from now on; undefined while nothing takes them. A new route is offered the head at once. */
  route(accountId: string, upstream: Upstream | undefined): void;
  /** The session that fetches an account's attachments and sends its answers; undefined while there is none. */
  attach(accountId: string, session: TargetSession | undefined): void;
  /** An upstream's verdict on a message it was given, in time or late. */
  acknowledge(accountId: string, messageId: string, verdict: Verdict): void;
  /** The person paused or resumed delivery to agents, for all accounts; not persisted here. */
  pause(paused: boolean): void;
  /** Offers an account's head (or this message, when it is the head) now, whatever its back-off. */
  retryNow(accountId: string): void;
  /** Ends a pending or held message by the person's choice; counted as discarded. Resolves false when there is none. */
  discard(accountId: string, messageId: string): Promise<boolean>;

  // -------------------------------------------------------------- outbound
  /**
   * The verdict on a message or call that was finished, refused or begun before, or that contradicts it; undefined when it is
   * new, or when only {@link deliver} can tell. To be asked before anything else that may say no: what was delivered stays
   * delivered though its files expired and its account signed out since (IM Profile v2 section 7). Never rejects.
   */
  recall(request: RecallRequest): Promise<OutboundVerdict> | undefined;
  /** Delivers one final message (or tool call) of an agent; resolves with the one verdict it is answered with. Never rejects. */
  deliver(request: OutboundRequest): Promise<OutboundVerdict>;
  /** One delta. @throws ProtocolError `delta_sequence_conflict`; a repeat and a delta after its final are ignored. */
  delta(route: OutboundRoute, messageId: string, sequence: number, text: string): void;
  /** The latest activity snapshot; replaced by the next, by a delta, by a final, or after `activity.timeoutMs`. */
  activity(route: OutboundRoute, activity: Activity): void;

  // -------------------------------------------------------------- lives
  /** Everything pending of a signed-out account ends with this reason; ids already seen are forgotten with it. */
  forgetAccount(accountId: string, reason: string): Promise<void>;
  /** Ledger, deltas and tool results of a deleted channel. */
  forgetChannel(channelId: string): Promise<void>;

  // -------------------------------------------------------------- facts for status, metrics and the window
  queue(accountId: string): QueueFacts;
  pending(accountId: string, limit: number): readonly PendingFacts[];
  ended(accountId: string, limit: number): readonly EndedFacts[];
  /** Messages of agents that wait until the network takes replies again, oldest first. */
  held(accountId: string, limit: number): readonly HeldFacts[];
  /**
   * `delivered`, `duplicate`, `rejected`, `expired`, `evicted`, `discarded`, `sent`, `send_refused`, `in_doubt`, `held`, `held_expired`,
   * and `ignored.<reason>`.
   */
  counters(accountId: string): Readonly<Record<string, number>>;
  currentActivity(accountId: string): Activity;
  /** The whole text of a pending message; undefined when it is not pending. For a person who asked to see it, never for a log. */
  text(accountId: string, messageId: string): string | undefined;
  /** What went in and out of all accounts in the last 24 hours. */
  traffic(): TrafficFacts;
  /** Called after anything above changed; coalesced to at most one call a tick. */
  onChange(fn: (accountId: string) => void): () => void;
  /** Finishes or parks what is in flight; afterwards nothing is offered and nothing is sent. */
  close(): Promise<void>;
}

/** A place that takes inbound messages: the xAgent data plane through a channel, or an AgentServer. */
export interface Upstream {
  readonly kind: 'xagent' | 'agentServer';
  /**
   * Hands over one message. `sent`: on its way, the verdict comes by {@link Delivery.acknowledge} or the ack timeout ends
   * the try. `done`: handing over was all there is (IM Profile v1: the packet was written to the socket).
   * Rejects when it could not be handed over; that is a temporary failure.
   */
  transmit(message: OfferedMessage): Promise<'sent' | 'done'>;
}

/** An inbound message ready for an agent: its attachments are stored, or noted in the text as unavailable. */
export interface OfferedMessage {
  readonly accountId: string;
  readonly messageId: string;
  readonly text: string;
  readonly files: readonly InboundFileItem[];
  readonly message: InboundMessage;
  readonly receivedAt: number;
}

export type Verdict =
  | { readonly status: 'accepted' | 'duplicate' }
  | { readonly status: 'rejected'; readonly code: string; readonly retryable: boolean };

export interface OutboundRoute {
  readonly channelId: string;
  readonly accountId: string;
}

export interface OutboundRequest extends OutboundRoute {
  /** `message`: a final answer keyed by message id. `tool`: a side-effecting call keyed by its repeated-call key. */
  readonly kind: 'message' | 'tool';
  readonly id: string;
  readonly text: string;
  readonly files: readonly StoredFile[];
}

/** An {@link OutboundRequest} as it came over the wire: nothing of it is looked up yet. */
export interface RecallRequest extends Omit<OutboundRequest, 'accountId' | 'files'> {
  readonly fileRefs: readonly string[];
}

export type OutboundVerdict =
  | { readonly status: 'accepted' | 'duplicate'; readonly messageIds: readonly string[] }
  /**
   * Not sent, and on our disk: it is sent once, by us, as soon as the network takes it; `code` says what it waits for. A repeat is
   * answered the same until then, `duplicate` afterwards, and `rejected` when it ended unsent.
   */
  | { readonly status: 'held'; readonly code: string; readonly message: string }
  | { readonly status: 'rejected'; readonly code: string; readonly message: string; readonly retryable: boolean };

export type Activity =
  | { readonly status: 'idle' }
  | { readonly status: 'thinking'; readonly since: number }
  | { readonly status: 'tool'; readonly toolName: string; readonly since: number };

export interface QueueFacts {
  readonly pending: number;
  /** Unix ms of the oldest pending message's receipt. */
  readonly oldestReceivedAt: number | undefined;
  readonly attempts: number;
  readonly lastError: string | undefined;
  readonly retryAt: number | undefined;
  /** Messages of agents that wait until the network takes replies again. */
  readonly heldReplies: number;
}

/** Traffic of the last 24 hours, oldest first, without gaps. */
export interface TrafficFacts {
  /** Length of one bucket, milliseconds. */
  readonly bucketMs: number;
  readonly buckets: readonly TrafficBucket[];
}

export interface TrafficBucket {
  /** Unix ms of its beginning. */
  readonly at: number;
  /** Messages that people wrote. */
  readonly inbound: number;
  /** Messages of agents that reached a network. */
  readonly outbound: number;
  /** The most that waited for an agent at any time of it. */
  readonly waiting: number;
}

export interface PendingFacts {
  readonly messageId: string;
  readonly kind: 'text' | 'image' | 'video' | 'audio' | 'file';
  readonly length: number;
  readonly preview: string;
  readonly receivedAt: number;
  readonly expiresAt: number;
  readonly attempts: number;
  readonly lastError: string | undefined;
}

export interface EndedFacts extends Omit<PendingFacts, 'expiresAt' | 'lastError'> {
  /** `outbound` is a message of an agent that was held, and shows no text. */
  readonly direction: 'inbound' | 'outbound';
  readonly outcome: 'rejected' | 'expired' | 'evicted' | 'discarded';
  readonly reason: string;
  readonly endedAt: number;
}

/** A held message of an agent, without its text. */
export interface HeldFacts {
  readonly messageId: string;
  readonly origin: 'answer' | 'tool';
  readonly kind: 'text' | 'image' | 'video' | 'audio' | 'file';
  /** Characters of its text. */
  readonly length: number;
  readonly heldAt: number;
  readonly expiresAt: number;
  /** What it waits for: `reply_window_closed`, `replies_scarce`, or the code of the network's refusal. */
  readonly code: string;
}
