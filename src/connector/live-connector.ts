import { ProtocolError } from '../base/errors.js';
import {
  ErrorCode,
  isAdmittedVersion,
  PROTOCOL_VERSION,
  type AuthAckPayload,
  type AuthCancelPayload,
  type AuthStartPayload,
  type AuthStatusPayload,
  type ConnectionDescriptor,
  type ConnectorCard,
  type HelloPayload,
  type ImProfile,
  type ToolInvokePayload,
} from '../protocol/index.js';
import { StoreError } from '../store/store.js';
import type { AuthFlow } from '../protocol/index.js';
import { Assembly, type ConnectorParts } from './assembly.js';
import { completeInput, readInput } from './auth-input.js';
import { AUTH_ANSWER_WAIT_MS, AuthPackets, type Describe } from './auth-packets.js';
import { toolId } from './card.js';
import type { Channel } from './channels.js';
import {
  AckError,
  type AccountFacts,
  type AuthCancelAck,
  type AuthSessionFacts,
  type ChannelFacts,
  type Connector,
  type DeliverTo,
} from './connector.js';
import { isAuthenticated } from './descriptor.js';
import { accountFacts, sessionFacts } from './facts.js';
import type { DataPlaneLink } from './link.js';
import { ownWords } from './messages.js';
import { skillFor } from './skill.js';
import { ToolCalls } from './tool-calls.js';

/** {@link Connector} over a target and the durable store: what each packet and each command of the window comes to. */
export class LiveConnector implements Connector {
  readonly card: ConnectorCard;
  readonly skill: string;
  readonly name: string;
  readonly profile: ImProfile;
  readonly replyToolId: string;
  readonly #it: Assembly;
  readonly #windowFlow: AuthFlow;
  readonly #auth: AuthPackets;
  readonly #tools: ToolCalls;

  constructor(parts: ConnectorParts) {
    const { target, options, delivery, files } = parts;
    const it = new Assembly(parts);
    this.#it = it;
    this.card = it.card;
    this.name = target.name;
    this.profile = options.profile;
    this.replyToolId = toolId(target, 'message');
    this.skill = skillFor(target.skill, options.profile, this.replyToolId);
    this.#windowFlow = target.authFlows[0];
    this.#auth = new AuthPackets({
      flows: it.card.auth_flows,
      deliverTo: it.deliverTo,
      sessions: it.sessions,
      bindings: it.bindings,
      accounts: it.accounts,
    });
    this.#tools = new ToolCalls({ card: it.card, name: target.name, delivery, files });
  }

  get connectorId(): string {
    return this.#it.connectorId;
  }

  get dataPlanes(): number {
    return this.#it.links.size;
  }

  get leaseLeftMs(): number | undefined {
    return this.#it.lease.leftMs;
  }

  // ---------------------------------------------------------------- data plane

  hello(
    link: DataPlaneLink,
    payload: HelloPayload,
  ): { connector_card_id: string; connector_id: string; protocol_version: string } {
    const { connector_card_id } = this.card;
    if (payload.connector_card_id !== connector_card_id) {
      throw new ProtocolError(ErrorCode.connectorCardIdMismatch, 'this is another connector than the hello names');
    }
    if (!isAdmittedVersion(payload.protocol_version)) {
      throw new ProtocolError(
        ErrorCode.protocolVersionUnsupported,
        `this connector needs protocol ${PROTOCOL_VERSION} or later`,
      );
    }
    const profiles = this.card.supports.profiles.filter((profile) => payload.supported_profiles.includes(profile));
    if (profiles.length === 0) {
      throw new ProtocolError(ErrorCode.profileNotSupported, `this connector speaks ${this.profile} only`);
    }
    // Whatever id the peer remembers, it is answered with the one held: a mismatch then ends in one round (R12).
    link.profiles = profiles;
    if (this.#it.links.has(link)) {
      this.#it.channels.publishOwnedBy(link);
    } else {
      this.#it.links.add(link);
      this.#it.lease.connected();
      this.#it.changed();
    }
    return { connector_card_id, connector_id: this.#it.connectorId, protocol_version: PROTOCOL_VERSION };
  }

  disconnected(link: DataPlaneLink): void {
    if (!this.#it.links.delete(link)) return;
    this.#it.channels.disconnected(link);
    if (this.#it.links.size === 0) this.#it.lease.disconnected();
    this.#it.changed();
  }

  async openChannel(
    link: DataPlaneLink,
    channelId: string,
  ): Promise<{ connector_channel_id: string; connection_descriptor: ConnectionDescriptor }> {
    if (!this.#it.links.has(link)) {
      throw new ProtocolError(ErrorCode.helloRequired, 'connector.hello must complete first');
    }
    const channel = this.#it.channels.open(link, channelId);
    return { connector_channel_id: channel.channelId, connection_descriptor: this.#tell(link, channel) };
  }

  closeChannel(link: DataPlaneLink, channelId: string): Promise<{ status: 'ok' }> {
    this.#it.channels.close(link, channelId);
    // Nobody can follow a sign-in of a channel that was closed on purpose; a lost connection may come back for it.
    if (!this.#it.channels.get(channelId)?.owner) this.#it.sessions.end(channelId, 'canceled');
    return Promise.resolve({ status: 'ok' });
  }

  async authStart(link: DataPlaneLink, channelId: string, payload: AuthStartPayload): Promise<AuthAckPayload> {
    const channel = this.#it.channels.require(link, channelId);
    return this.#auth.start(channel, payload, this.#describer(link, channel));
  }

  async authStatus(link: DataPlaneLink, channelId: string, payload: AuthStatusPayload): Promise<AuthAckPayload> {
    const channel = this.#it.channels.require(link, channelId);
    return this.#auth.status(channel, payload, this.#describer(link, channel));
  }

  async authCancel(link: DataPlaneLink, channelId: string, payload: AuthCancelPayload): Promise<AuthCancelAck> {
    const channel = this.#it.channels.require(link, channelId);
    return this.#auth.cancel(channel, payload, this.#describer(link, channel));
  }

  async authLogout(
    link: DataPlaneLink,
    channelId: string,
  ): Promise<{ status: 'ok'; connection_descriptor: ConnectionDescriptor }> {
    const channel = this.#it.channels.require(link, channelId);
    this.#it.sessions.end(channelId, 'canceled');
    // The one it has now: a sign-in that could no longer be stopped may have replaced it by the time the sign-out begins.
    if (channel.accountId !== undefined) await this.#signOutOrFail(channel.accountId);
    return { status: 'ok', connection_descriptor: this.#it.describe(channel, link.profiles) };
  }

  descriptor(link: DataPlaneLink, channelId: string): ConnectionDescriptor {
    return this.#tell(link, this.#it.channels.require(link, channelId));
  }

  async invokeTool(
    link: DataPlaneLink,
    channelId: string,
    requestId: string | undefined,
    payload: ToolInvokePayload,
  ): Promise<{ tool_id: string; result: Record<string, unknown> }> {
    const channel = this.#it.channels.require(link, channelId);
    if (channel.accountId !== undefined) await this.#it.accounts.tried(channel.accountId);
    try {
      return await this.#tools.invoke({ channelId, account: this.#it.accountOf(channel), requestId, payload });
    } catch (error) {
      const isUnsent = error instanceof AckError && error.code === ErrorCode.targetUnreachable;
      if (!isUnsent || this.#signedInOn(channel) !== undefined) throw error;
      // It waited behind others while the channel was signed out: the network is not what keeps it.
      throw new AckError(ErrorCode.connectionNotAuthenticated, 'no account is signed in on this channel any more');
    }
  }

  openRoute(link: DataPlaneLink, channelId: string | undefined): { channelId: string; accountId: string | undefined } {
    const channel = this.#it.channels.require(link, channelId);
    return { channelId: channel.channelId, accountId: this.#signedInOn(channel) };
  }

  signedInOn(channelId: string): 'unknown' | 'unauthenticated' | { accountId: string } {
    const channel = this.#it.channels.get(channelId);
    if (!channel) return 'unknown';
    const accountId = this.#signedInOn(channel);
    return accountId === undefined ? 'unauthenticated' : { accountId };
  }

  // ---------------------------------------------------------------- accounts, from the window or the command line

  accounts(): readonly AccountFacts[] {
    return this.#it.accounts
      .all()
      .map((account) =>
        accountFacts(account, this.#it.channels.ofAccount(account.row.accountId), this.#it.bindings.deliverTo(account)),
      );
  }

  hasAccount(accountId: string): boolean {
    return this.#it.accounts.get(accountId) !== undefined;
  }

  channels(): readonly ChannelFacts[] {
    return this.#it.channels.all().map((channel) => ({
      channelId: channel.channelId,
      accountId: channel.accountId,
      open: channel.owner !== undefined,
      linkId: channel.owner?.linkId,
      descriptor: this.#it.describe(channel, this.card.supports.profiles),
    }));
  }

  async signIn(input: Readonly<Record<string, string>>): Promise<AuthSessionFacts> {
    const flow = this.#windowFlow;
    const complete = completeInput(flow, readInput(flow, input));
    const session = this.#it.sessions.open(flow, undefined);
    this.#it.sessions.begin(session, complete);
    await session.waitUntil(() => session.telling, AUTH_ANSWER_WAIT_MS);
    return sessionFacts(session);
  }

  signInState(authSessionId: string): AuthSessionFacts | undefined {
    const session = this.#it.sessions.get(authSessionId);
    return session && sessionFacts(session);
  }

  signInsOfAgents(): readonly AuthSessionFacts[] {
    return this.#it.sessions.runningOfChannels().map(sessionFacts);
  }

  provideInput(authSessionId: string, input: Readonly<Record<string, string>>): void {
    this.#it.sessions.get(authSessionId)?.provide(input);
  }

  refreshSignIn(authSessionId: string): void {
    this.#it.sessions.get(authSessionId)?.refresh();
  }

  cancelSignIn(authSessionId: string): void {
    this.#it.sessions.get(authSessionId)?.end('canceled', 'canceled', ownWords('canceled'));
  }

  signOut(accountId: string): Promise<boolean> {
    return this.#it.bindings.signOut(accountId);
  }

  setDeliverTo(accountId: string, upstream: DeliverTo | undefined): Promise<boolean> {
    return this.#it.setDeliverTo(accountId, upstream);
  }

  // ---------------------------------------------------------------- life

  start(): Promise<void> {
    return this.#it.start();
  }

  opened(): Promise<void> {
    return this.#it.opened;
  }

  wake(): void {
    this.#it.wake();
  }

  onChange(fn: () => void): () => void {
    return this.#it.onChange(fn);
  }

  close(): Promise<void> {
    return this.#it.close();
  }

  #signedInOn(channel: Channel): string | undefined {
    const account = this.#it.accountOf(channel);
    return account && isAuthenticated(account.state) ? account.row.accountId : undefined;
  }

  /** The descriptor as an answer; a push of the same one is then not needed. */
  #tell(link: DataPlaneLink, channel: Channel): ConnectionDescriptor {
    const descriptor = this.#it.describe(channel, link.profiles);
    this.#it.channels.told(link, channel.channelId, descriptor);
    return descriptor;
  }

  #describer(link: DataPlaneLink, channel: Channel): Describe {
    return () => this.#it.describe(channel, link.profiles);
  }

  async #signOutOrFail(accountId: string): Promise<void> {
    try {
      await this.#it.bindings.signOut(accountId);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      throw new AckError(ErrorCode.internalError, 'the sign-out could not be stored');
    }
  }
}
