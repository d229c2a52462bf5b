import type { Readable } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { TargetRefusal } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { WayOut } from '../base/proxy/way-out.js';
import type { StoredFile } from '../files/file-store.js';
import type { AuthFlow, FileType } from '../protocol/index.js';

/**
 * The port behind which every chat network stands. Required: {@link Target}, {@link TargetRuntime}, {@link TargetSession}.
 * What only some networks can do is an optional member of the session, found at run time.
 */
export interface Target {
  /** Path prefix and last part of the card id: `telegram`. */
  readonly name: string;
  readonly cardId: `im.${string}`;
  readonly label: string;
  /** Version of the connector (protocol 3.0 section 1): raised with every change of tools, flows, skill or capabilities. */
  readonly version: string;
  readonly description: string;
  readonly authFlows: readonly [AuthFlow, ...AuthFlow[]];
  readonly dataClasses: readonly string[];
  /** The primary skill, Markdown with its header. */
  readonly skill: string;
  /**
   * Names the reader ({@link IntakeBatch.consumer}) that keeps this account's state, so that it can be removed with the account.
   * @throws TypeError for a binding that is damaged
   */
  consumerOf(account: Pick<AccountHandle, 'accountId' | 'binding'>): string;
  /** Starts this network's part of the host. Heavy SDKs are loaded here or later, not at import. */
  start(context: TargetContext): TargetRuntime;
}

/** What the host gives a target. */
export interface TargetContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly intake: Intake;
  /** Random numbers in [0, 1) for jitter. */
  readonly random: () => number;
  /** How this network is reached: every connection to it is made with it. */
  readonly wayOut: WayOut;
  /**
   * The accounts of this network that are signed in, whether they have a session or wait for one. A reader that several share can
   * store what comes for one that is not at work.
   */
  readonly accounts: () => readonly SignedInAccount[];
}

export type SignedInAccount = Pick<AccountHandle, 'accountId' | 'binding'>;

export interface TargetRuntime {
  /**
   * Signs in once. Resolves with who signed in, or throws {@link SignInFailure} (or TargetRefusal, TransportError).
   * Aborting the attempt's signal ends it without effect.
   */
  signIn(attempt: SignInAttempt): Promise<SignedIn>;
  /** Begins to receive for an account; returns at once and reports its state through `account.report`. */
  open(account: AccountHandle): TargetSession;
  /**
   * Opens an account whose sign-in had ended when the program stopped, where the network is known to take one back: it receives
   * nothing, and reports `connected` when that has happened.
   */
  watch?(account: AccountHandle, ended: ExpiredState): TargetSession;
  /** Ends at the network what can be ended there for a sign-out; best effort, credentials are deleted by the caller. */
  signOut?(account: AccountHandle): Promise<void>;
  /** The machine slept or its network changed: abandon calls in flight and try again now. */
  wake?(): void;
  /** Stops every consumer; unfinished calls are aborted. Sessions are closed before. */
  stop(): Promise<void>;
}

// ---------------------------------------------------------------- signing in

export interface SignInAttempt {
  readonly flowId: string;
  /** Form fields, as text; empty for a QR flow. */
  readonly input: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Accounts of this network that are signed in already, so that the network can recognise one. */
  readonly existing: readonly { readonly accountId: string; readonly identity: string; readonly binding: Json }[];
  /** Shows where the attempt stands; the latest one counts. */
  report(progress: SignInProgress): void;
  /** Asks the person for more, such as `['verify_code']`; resolves with what they gave. `message` is a message code. */
  ask(fields: readonly string[], message: string): Promise<Readonly<Record<string, string>>>;
  /** Called when the person or the agent asks for a new QR. */
  onRefresh(fn: () => void): void;
  /** Credentials of an existing account, when the network says "you are signed in already". */
  credentialsOf(accountId: string): Promise<Credentials | undefined>;
}

export type SignInProgress =
  | {
      readonly status: 'pending' | 'scanned';
      readonly qr?: { readonly text: string; readonly expiresAt: number };
      readonly message: string;
    }
  | { readonly status: 'qr_refresh_required'; readonly message: string };

export interface SignedIn {
  /** Stable within the network: the same person, bot and conversation give the same text. Not secret. */
  readonly identity: string;
  readonly displayName: string;
  /** Redacted, fit for a descriptor. */
  readonly accountHint: string;
  /** What the target needs to open the account again, without secrets. */
  readonly binding: Json;
  readonly credentials: Credentials;
  /** Written together with the account, before the sign-in is acknowledged; `null` deletes a key of an earlier sign-in. */
  readonly initialState?: { readonly consumer: string; readonly values: Readonly<Record<string, string | null>> };
}

export type Credentials = Readonly<Record<string, string>>;

/** The sign-in ended without an account; `code` has words in the message map. */
export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  constructor(
    readonly code: string,
    message: string,
    readonly status: 'failed' | 'expired' = 'failed',
  ) {
    super(message);
  }
}

// ---------------------------------------------------------------- an account at work

export interface AccountHandle {
  readonly accountId: string;
  readonly identity: string;
  readonly binding: Json;
  readonly credentials: Credentials;
  /** The account's state as it is now; a repeated equal state costs nothing. */
  report(state: BindingState): void;
  /** The network changed what we must remember (a group became a supergroup). Durable when it resolves. */
  updateBinding(binding: Json): Promise<void>;
}

/**
 * One account's standing with its network. `code` is stable and has words in the message map.
 * `connected` is said only after a completed round trip; the descriptor and the window are projections of this value.
 */
export type BindingState =
  | { readonly status: 'connected'; readonly since: number }
  | { readonly status: 'degraded'; readonly code: string; readonly since: number }
  | { readonly status: 'offline'; readonly code: string; readonly since: number; readonly retryAt?: number }
  | ExpiredState
  | { readonly status: 'revoked'; readonly code: string; readonly since: number }
  | { readonly status: 'error'; readonly code: string; readonly since: number };

/** The network takes the credentials no more. */
export interface ExpiredState {
  readonly status: 'expired';
  readonly code: string;
  readonly since: number;
}

export interface TargetSession {
  /** Unix ms of the last completed round trip with the network, whatever it carried. */
  readonly lastRoundTripAt: number | undefined;
  /** Whether sending the same part again under the same key is safe, so that a part in doubt may be repeated. */
  readonly idempotentSends: boolean;
  /**
   * How long after the first call such a repeat is safe, milliseconds, where the network remembers keys for a time only.
   * Undefined is without end.
   */
  readonly idempotentForMs?: number | undefined;
  /**
   * The network is this program's own store: {@link send} and the end of a stream only say what is to be written for it
   * ({@link Receipt.write}). That is done in the one transaction that records the send, so that none is ever in doubt.
   */
  readonly sendsByWriting?: true;
  /**
   * Cuts a message into what the network takes one call each; pure, and equal for equal input.
   * Texts of the parts joined give the message's text.
   * @throws TargetRefusal when the network can't take the message at all (file too large)
   */
  plan(message: OutboundMessage): readonly OutboundPart[];
  /**
   * Does what of a send has no effect yet: uploads, and waits for the network's own spacing. A {@link send} of the same part
   * then goes to the one call that counts. Without it all of a send is in doubt while it runs, the waiting included.
   * @throws TargetRefusal, TransportError; either way nothing was sent
   */
  prepare?(part: OutboundPart, signal: AbortSignal): Promise<void>;
  /**
   * Sends one part, with the network's own spacing and rate limit, unless {@link prepare} has waited for it.
   * @param key stable over repeats of the same part of the same message
   * @throws TargetRefusal, TransportError
   */
  send(part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt>;
  /**
   * Fetches an attachment of an inbound message.
   * @param signal bounds the whole transfer, the stream as well
   * @throws TargetRefusal, TransportError
   */
  fetch?(attachment: RemoteAttachment, signal: AbortSignal): Promise<Readable>;
  readonly typing?: TypingCapable;
  readonly stream?: StreamCapable;
  /** How many more messages the network takes before the person must write again. */
  replyWindow?(): ReplyWindow | undefined;
  /** Beside {@link replyWindow}: how delivery is to be sparing with what the window leaves. */
  readonly replies?: ReplyWindowCapable;
  /** Told once a message that the person wrote has ended, and that is on disk. */
  settled?(messageId: string, fate: MessageFate): void;
  /** Stops receiving; a consumer shared with other accounts goes on for them. */
  close(): Promise<void>;
}

/** Shows that the agent works. Failures are the target's own business: they never touch a message. */
export interface TypingCapable {
  /** The indicator is repeated this often while it should stay; milliseconds. */
  readonly keepAliveMs: number;
  show(): Promise<void>;
  clear(): Promise<void>;
}

/** Streams an unfinished answer into one message that grows. */
export interface StreamCapable {
  /** Least time between two updates, milliseconds. */
  readonly minIntervalMs: number;
  /**
   * Shows the first text. Undefined when this conversation can't stream. `visible` says that the network keeps the message if
   * we die now.
   * @param signal when it aborts, the call is abandoned and settles at once: nothing of it may reach the network afterwards
   */
  open(text: string, signal: AbortSignal): Promise<{ readonly handle: string; readonly visible: boolean } | undefined>;
  /**
   * Replaces the text so far. Text beyond the network's limit is cut by the target.
   * @param signal as for {@link open}: an update that arrives late would overwrite the final text
   */
  update(handle: string, text: string, signal: AbortSignal): Promise<void>;
  /**
   * Makes the stream's message the given first part of the final answer; the remaining parts are sent as usual.
   *
   * Of a visible handle it replaces or refuses, and never sends: replacing twice is replacing once, so that this call is
   * repeated after a crash or a lost answer, and a message sent here would be there twice. A part that can't take the
   * preview's place (a file, a preview that was deleted) is refused as {@link previewGone}, after the preview was taken away
   * where the network allows it; the caller then sends the part, as one that may be in doubt.
   * Of a passing handle it may send: it is called once, like {@link TargetSession.send}.
   *
   * @throws TargetRefusal not retryable (`preview_gone`) when the part must be sent instead; TransportError
   */
  finish(handle: string, part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt>;
  /**
   * Takes away what is left of this passing preview: no answer will take its place any more. For a network where one stays until
   * somebody does, such as the local chat; elsewhere it fades by itself.
   */
  discard?(handle: string): void;
}

/** The visible preview is no more, or can't be the answer: see {@link StreamCapable.finish}. */
export function previewGone(): TargetRefusal {
  return new TargetRefusal('preview_gone', 'The preview could not become the answer', { retryable: false });
}

/** How many more messages a network takes before the person must write again. */
export interface ReplyWindow {
  readonly remaining: number;
  /** So many it takes after each message of the person. */
  readonly limit: number;
  /** Unix ms. */
  readonly until: number;
}

/**
 * Replies are counted from the person's last message on. While few are left, what can be sent together is; what meets a closed
 * window waits until the person writes.
 */
export interface ReplyWindowCapable {
  /** From this many remaining replies down, several messages of a run become one. */
  readonly scarceFrom: number;
  /** Replies that are kept for the answer that ends a run. */
  readonly reserve: number;
  /** Calls `fn` whenever the person's message renewed the window; @returns how to end that */
  onRenewed(fn: () => void): () => void;
}

export interface OutboundMessage {
  readonly text: string;
  readonly files: readonly StoredFile[];
}

export type OutboundPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly file: StoredFile; readonly caption?: string };

export interface Receipt {
  /** The network's id of the message; undefined when it accepted without naming one. */
  readonly messageId: string | undefined;
  /** What has to be on disk for the message to be there; only of a session that {@link TargetSession.sendsByWriting}. */
  readonly write?: PartWrite;
}

/** Changes the state of one consumer, as {@link IntakeBatch} does. */
export interface PartWrite extends Pick<IntakeBatch, 'consumer' | 'state'> {
  /** Called once it is on disk. */
  done(): void;
  /** Called instead when it is not and won't be. */
  failed(): void;
}

// ---------------------------------------------------------------- receiving

/** Turns what a network delivered into durable pending messages. */
export interface Intake {
  /** A value written by an earlier {@link IntakeBatch.state}. */
  state(consumer: string, key: string): string | undefined;
  /**
   * Stores the messages and the consumer's state in one transaction, then wakes delivery. Messages whose id or dedup
   * key was seen before are left out. Resolves when everything is on disk: only then may the network be told.
   * @throws StoreError when the disk refuses: keep the batch and try again
   */
  commit(batch: IntakeBatch): Promise<void>;
  /**
   * What became of a message that was committed before. Endings other than delivery are known for a week: who needs them for
   * longer writes them down when {@link TargetSession.settled} tells them.
   */
  fate(accountId: string, messageId: string): MessageFate;
  /**
   * Resolves at once while all of these accounts (or any, when that is enough) have room for more, else when they have: wait for
   * it before asking the network for the next batch, so that the backlog stays where the network keeps it.
   */
  roomFor(accountIds: readonly string[], signal: AbortSignal, enough?: 'all' | 'any'): Promise<void>;
}

/** Waits for an agent, has reached one, or never will. */
export type MessageFate = 'waiting' | 'delivered' | 'rejected' | 'expired' | 'evicted' | 'discarded';

export interface IntakeBatch {
  /** Names one reader of a network, such as `telegram/<bot id>`. */
  readonly consumer: string;
  /** Written with the messages; `null` deletes. */
  readonly state: Readonly<Record<string, string | null>>;
  readonly messages: readonly { readonly accountId: string; readonly message: InboundMessage }[];
  /** Counted per account and reason, such as `group_not_addressed`; the messages are not kept. */
  readonly ignored?: readonly { readonly accountId: string; readonly reason: string }[];
}

/** What a person wrote. Stored as JSON, so it holds only plain values and never a secret. */
export interface InboundMessage {
  /** Becomes the protocol's `message_id`: stable over redelivery, unique within the account. */
  readonly id: string;
  /** Further ids under which the network may deliver the same message again. */
  readonly dedupKeys?: readonly string[];
  /** The person's own words, byte for byte. */
  readonly text: string;
  readonly attachments: readonly RemoteAttachment[];
  readonly sender: { readonly id: string; readonly name?: string };
  readonly conversation: { readonly id: string; readonly type: 'p2p' | 'group' };
  /** The network's own time of the message, Unix ms. */
  readonly sentAt?: number;
  /** Messages of one account with the same key that arrive within `mergeWindowMs` become one (albums): texts joined by a line, attachments appended. */
  readonly mergeKey?: string;
  readonly mergeWindowMs?: number;
}

export interface RemoteAttachment {
  readonly fileType: FileType;
  readonly filename?: string;
  readonly mimeType?: string;
  readonly byteSize?: number;
  /** Where the target finds it again, after a restart too. Never a secret; null for what is stored already. */
  readonly locator: Json;
  /** Stored already under this ref: nothing of it needs to be fetched. */
  readonly fileRef?: string;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
