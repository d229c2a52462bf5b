import type {
  AuthAckPayload,
  AuthCancelPayload,
  AuthStartPayload,
  AuthStatusPayload,
  ConnectionDescriptor,
  ConnectorCard,
  HelloPayload,
  ImProfile,
  ToolInvokePayload,
} from '../protocol/index.js';
import type { BindingState, ReplyWindow } from '../targets/target.js';
import type { DataPlaneLink } from './link.js';

/**
 * One connector (one card, one chat network): its runtime identity and lease, its accounts, channels and auth sessions.
 * Methods named after packets do what the packet asks and return the ack's payload; they throw ProtocolError for
 * `type = "error"` answers and {@link AckError} for an ack with an error.
 */
export interface Connector {
  readonly card: ConnectorCard;
  readonly skill: string;
  readonly name: string;
  readonly profile: ImProfile;
  /** The tool that sends a message, which agents of IM Profile v1 answer with. */
  readonly replyToolId: string;
  /** Stable over restarts; a new one only after the lease ended the old. Section 8.1. */
  readonly connectorId: string;

  // ------------------------------------------------------------ data plane (protocol 3.0 section 8)
  /** Checks a hello and, when it is right, counts the link as a data plane of this connector. May be repeated on one link. */
  hello(
    link: DataPlaneLink,
    payload: HelloPayload,
  ): { connector_card_id: string; connector_id: string; protocol_version: string };
  /** The socket is gone: its routes close, temporary channels without another route are forgotten, the lease begins when it was the last. */
  disconnected(link: DataPlaneLink): void;
  openChannel(
    link: DataPlaneLink,
    channelId: string,
  ): Promise<{ connector_channel_id: string; connection_descriptor: ConnectionDescriptor }>;
  closeChannel(link: DataPlaneLink, channelId: string): Promise<{ status: 'ok' }>;
  authStart(link: DataPlaneLink, channelId: string, payload: AuthStartPayload): Promise<AuthAckPayload>;
  authStatus(link: DataPlaneLink, channelId: string, payload: AuthStatusPayload): Promise<AuthAckPayload>;
  authCancel(link: DataPlaneLink, channelId: string, payload: AuthCancelPayload): Promise<AuthCancelAck>;
  authLogout(
    link: DataPlaneLink,
    channelId: string,
  ): Promise<{ status: 'ok'; connection_descriptor: ConnectionDescriptor }>;
  descriptor(link: DataPlaneLink, channelId: string): ConnectionDescriptor;
  /** `requestId` is the fallback key of repeated-call detection when the context names no tool call. */
  invokeTool(
    link: DataPlaneLink,
    channelId: string,
    requestId: string | undefined,
    payload: ToolInvokePayload,
  ): Promise<{ tool_id: string; result: Record<string, unknown> }>;
  /**
   * An open channel of this link, and the account that is signed in on it; undefined when there is none, or when its sign-in
   * expired or was revoked.
   * @throws ProtocolError `connector_channel_id_required`, `connection_not_found`, `channel_not_open`
   */
  openRoute(link: DataPlaneLink, channelId: string | undefined): { channelId: string; accountId: string | undefined };
  /** Who is signed in on a channel, open or not: `unknown`, `unauthenticated`, or its account. */
  signedInOn(channelId: string): 'unknown' | 'unauthenticated' | { accountId: string };

  // ------------------------------------------------------------ accounts, from the window or the command line
  accounts(): readonly AccountFacts[];
  hasAccount(accountId: string): boolean;
  channels(): readonly ChannelFacts[];
  /** Begins a sign-in that no agent asked for; follow it with {@link signInState}. */
  signIn(input: Readonly<Record<string, string>>): Promise<AuthSessionFacts>;
  signInState(authSessionId: string): AuthSessionFacts | undefined;
  /** The sign-ins under way that agents began: what one of them asks, the person may answer here too ({@link provideInput}). */
  signInsOfAgents(): readonly AuthSessionFacts[];
  provideInput(authSessionId: string, input: Readonly<Record<string, string>>): void;
  refreshSignIn(authSessionId: string): void;
  cancelSignIn(authSessionId: string): void;
  /** Ends the account everywhere: at the network where that is possible, its credentials, its channel's descriptor. False when unknown. */
  signOut(accountId: string): Promise<boolean>;
  /**
   * Where this account's messages go from now on; undefined follows the connector's setting. False when it is unknown.
   * @throws StoreError when the disk refuses; nothing has changed then
   */
  setDeliverTo(accountId: string, upstream: DeliverTo | undefined): Promise<boolean>;

  // ------------------------------------------------------------ life
  /** Begins to open the accounts that are stored. */
  start(): Promise<void>;
  /**
   * Resolves once each of them has a session, which may still be connecting, or can't have one yet. It takes as long as the
   * secret store takes. Never rejects.
   */
  opened(): Promise<void>;
  readonly dataPlanes: number;
  /** Milliseconds of grace left before the lease ends this connector id; undefined while a data plane is connected. */
  readonly leaseLeftMs: number | undefined;
  /** The machine slept or its network changed. Time asleep does not count against the lease. */
  wake(): void;
  onChange(fn: () => void): () => void;
  close(): Promise<void>;
}

export interface AuthCancelAck {
  connector_channel_id: string;
  auth_session_id: string;
  status: 'canceled' | 'ignored' | 'not_found';
  auth_status: string;
  message: string;
  connection_descriptor?: ConnectionDescriptor;
}

/** A business failure: goes out as the ack packet's `error` (section 7, error semantics). */
export class AckError extends Error {
  override readonly name = 'AckError';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Where an account's messages go: to xAgent through a channel, or to the AgentServer. */
export type DeliverTo = 'xagent' | 'agentServer';

export interface AccountFacts {
  readonly accountId: string;
  readonly identity: string;
  readonly displayName: string;
  readonly accountHint: string;
  readonly state: BindingState;
  readonly lastRoundTripAt: number | undefined;
  readonly channelId: string | undefined;
  /** Whether its channel has an open route to an agent right now. */
  readonly agentConnected: boolean;
  readonly deliverTo: DeliverTo;
  /** The person's own choice for it; undefined while it follows the connector's setting. */
  readonly ownDeliverTo: DeliverTo | undefined;
  readonly replyWindow: ReplyWindow | undefined;
  readonly createdAt: number;
}

export interface ChannelFacts {
  readonly channelId: string;
  readonly accountId: string | undefined;
  readonly open: boolean;
  /** The data plane that pushes go to; undefined while none has it open. */
  readonly linkId: string | undefined;
  readonly descriptor: ConnectionDescriptor;
}

export type AuthSessionFacts = {
  readonly authSessionId: string;
  readonly flowId: string;
  readonly channelId: string | undefined;
  readonly expiresAt: number;
} & (
  | {
      readonly status: 'pending' | 'scanned' | 'qr_refresh_required';
      /** What to tell the person, for whoever has words of their own. */
      readonly code: string;
      readonly message: string;
      readonly qr?: { readonly text: string; readonly image: string; readonly expiresAt: number };
      readonly inputRequired?: readonly string[];
    }
  | { readonly status: 'authenticated'; readonly accountId: string }
  | { readonly status: 'failed' | 'expired' | 'canceled'; readonly code: string; readonly message: string }
);
