import { ProtocolError } from '../../src/base/errors.js';
import type {
  AccountFacts,
  AuthCancelAck,
  AuthSessionFacts,
  ChannelFacts,
  Connector,
} from '../../src/connector/connector.js';
import type { DataPlaneLink } from '../../src/connector/link.js';
import {
  CARD_SCHEMA,
  DESCRIPTOR_SCHEMA,
  ErrorCode,
  IM_V2,
  PROTOCOL_VERSION,
  isAdmittedVersion,
  withConnectorChannelId,
  type AuthAckPayload,
  type AuthStartPayload,
  type ConnectionDescriptor,
  type ConnectorCard,
  type HelloPayload,
  type ImProfile,
  type ToolInvokePayload,
} from '../../src/protocol/index.js';

interface FakeChannel {
  accountId: string | undefined;
  link: DataPlaneLink | undefined;
}

/**
 * A connector without accounts, leases or a network: channels are what a test says they are, and each packet method can be
 * replaced by the test. For tests of the server, which must not depend on what a real connector decides.
 */
export class FakeConnector implements Connector {
  readonly card: ConnectorCard;
  skill: string;
  readonly name: string;
  readonly profile: ImProfile;
  readonly replyToolId: string;
  readonly connectorId = 'conn_fake';
  readonly leaseLeftMs = undefined;
  readonly links = new Set<DataPlaneLink>();
  readonly gone: DataPlaneLink[] = [];
  readonly calls: {
    readonly method: string;
    readonly channelId: string;
    readonly payload?: unknown;
    readonly requestId?: string | undefined;
  }[] = [];
  readonly #channels = new Map<string, FakeChannel>();
  #opened = 0;

  constructor(name: string, profile: ImProfile = IM_V2) {
    this.name = name;
    this.profile = profile;
    this.replyToolId = `${name}_message_send`;
    this.skill = `---\nname: connector-im-${name}\n---\n`;
    this.card = fakeCard(name, profile);
  }

  // ------------------------------------------------------------ script
  /** A channel that exists; open on `link` when one is given. */
  addChannel(channelId: string, accountId?: string, link?: DataPlaneLink): void {
    this.#channels.set(channelId, { accountId, link });
  }

  removeChannel(channelId: string): void {
    this.#channels.delete(channelId);
  }

  /** The link that said hello last. */
  get lastLink(): DataPlaneLink {
    const link = [...this.links].at(-1);
    if (!link) throw new Error('no link said hello');
    return link;
  }

  onAuthStart: (payload: AuthStartPayload) => Promise<AuthAckPayload> = () =>
    Promise.resolve({ connector_channel_id: '', status: 'pending' });
  onInvoke: (call: ToolInvokePayload) => Promise<Record<string, unknown>> = () => Promise.resolve({ status: 'sent' });
  onOpen: () => Promise<void> = () => Promise.resolve();

  // ------------------------------------------------------------ data plane
  get dataPlanes(): number {
    return this.links.size;
  }

  hello(link: DataPlaneLink, payload: HelloPayload) {
    if (payload.connector_card_id !== this.card.connector_card_id) {
      throw new ProtocolError(ErrorCode.connectorCardIdMismatch, 'another card');
    }
    if (!isAdmittedVersion(payload.protocol_version)) {
      throw new ProtocolError(ErrorCode.protocolVersionUnsupported, 'too old');
    }
    link.profiles = payload.supported_profiles.filter((profile) => profile === this.profile);
    this.links.add(link);
    return {
      connector_card_id: this.card.connector_card_id,
      connector_id: this.connectorId,
      protocol_version: PROTOCOL_VERSION,
    };
  }

  disconnected(link: DataPlaneLink): void {
    this.links.delete(link);
    this.gone.push(link);
  }

  async openChannel(link: DataPlaneLink, channelId: string) {
    this.calls.push({ method: 'openChannel', channelId });
    await this.onOpen();
    let id = channelId;
    if (!this.#channels.has(id)) {
      this.#opened += 1;
      id = `cch_${this.name}_${this.#opened}`;
    }
    this.addChannel(id, this.#channels.get(id)?.accountId, link);
    return { connector_channel_id: id, connection_descriptor: this.describe(id) };
  }

  closeChannel(_link: DataPlaneLink, channelId: string): Promise<{ status: 'ok' }> {
    const channel = this.#channels.get(channelId);
    if (channel) channel.link = undefined;
    return Promise.resolve({ status: 'ok' });
  }

  async authStart(link: DataPlaneLink, channelId: string, payload: AuthStartPayload): Promise<AuthAckPayload> {
    this.openRoute(link, channelId);
    this.calls.push({ method: 'authStart', channelId, payload });
    return { ...(await this.onAuthStart(payload)), connector_channel_id: channelId };
  }

  async authStatus(link: DataPlaneLink, channelId: string): Promise<AuthAckPayload> {
    this.openRoute(link, channelId);
    return { connector_channel_id: channelId, status: 'unauthenticated' };
  }

  async authCancel(link: DataPlaneLink, channelId: string): Promise<AuthCancelAck> {
    this.openRoute(link, channelId);
    return {
      connector_channel_id: channelId,
      auth_session_id: '',
      status: 'not_found',
      auth_status: 'unauthenticated',
      message: '',
    };
  }

  async authLogout(
    link: DataPlaneLink,
    channelId: string,
  ): Promise<{ status: 'ok'; connection_descriptor: ConnectionDescriptor }> {
    this.openRoute(link, channelId);
    return { status: 'ok', connection_descriptor: this.describe(channelId) };
  }

  descriptor(link: DataPlaneLink, channelId: string): ConnectionDescriptor {
    this.openRoute(link, channelId);
    return this.describe(channelId);
  }

  async invokeTool(link: DataPlaneLink, channelId: string, requestId: string | undefined, payload: ToolInvokePayload) {
    this.openRoute(link, channelId);
    this.calls.push({ method: 'invokeTool', channelId, payload, requestId });
    return { tool_id: payload.tool_id, result: await this.onInvoke(payload) };
  }

  openRoute(link: DataPlaneLink, channelId: string | undefined): { channelId: string; accountId: string | undefined } {
    if (channelId === undefined) throw new ProtocolError(ErrorCode.connectorChannelIdRequired, 'which channel?');
    const channel = this.#channels.get(channelId);
    if (!channel) throw new ProtocolError(ErrorCode.connectionNotFound, 'unknown channel');
    if (channel.link !== link) throw new ProtocolError(ErrorCode.channelNotOpen, 'not open');
    return { channelId, accountId: channel.accountId };
  }

  signedInOn(channelId: string): 'unknown' | 'unauthenticated' | { accountId: string } {
    const channel = this.#channels.get(channelId);
    if (!channel) return 'unknown';
    return channel.accountId === undefined ? 'unauthenticated' : { accountId: channel.accountId };
  }

  describe(channelId: string): ConnectionDescriptor {
    return {
      schema: DESCRIPTOR_SCHEMA,
      connection: {
        connector_card_id: this.card.connector_card_id,
        connector_id: this.connectorId,
        connector_channel_id: channelId,
        target_type: 'im',
        profiles: [this.profile],
        status: this.#channels.get(channelId)?.accountId === undefined ? 'created' : 'connected',
      },
      target: { provider: this.name, label: this.name, display_name: this.name },
      tools: [],
    };
  }

  // ------------------------------------------------------------ the rest of the port
  hasAccount(accountId: string): boolean {
    return this.accounts().some((account) => account.accountId === accountId);
  }

  accounts(): readonly AccountFacts[] {
    return [...this.#channels].flatMap(([channelId, { accountId, link }]) =>
      accountId === undefined ? [] : [fakeAccount(accountId, channelId, link !== undefined)],
    );
  }

  channels(): readonly ChannelFacts[] {
    return [...this.#channels].map(([channelId, { accountId, link }]) => ({
      channelId,
      accountId,
      open: link !== undefined,
      linkId: link?.linkId,
      descriptor: this.describe(channelId),
    }));
  }

  signIn(): Promise<AuthSessionFacts> {
    return Promise.reject(new Error('nobody signs in at a fake connector'));
  }
  signInState(): undefined {}
  signInsOfAgents(): readonly [] {
    return [];
  }
  provideInput(): void {}
  refreshSignIn(): void {}
  cancelSignIn(): void {}
  signOut(): Promise<boolean> {
    return Promise.resolve(false);
  }
  setDeliverTo(): Promise<boolean> {
    return Promise.resolve(false);
  }
  start(): Promise<void> {
    return Promise.resolve();
  }
  opened(): Promise<void> {
    return Promise.resolve();
  }
  wake(): void {}
  onChange(): () => void {
    return () => undefined;
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
}

function fakeAccount(accountId: string, channelId: string, agentConnected: boolean): AccountFacts {
  return {
    accountId,
    identity: accountId,
    displayName: 'Somebody',
    accountHint: 'some***',
    state: { status: 'connected', since: 1 },
    lastRoundTripAt: 2,
    channelId,
    agentConnected,
    deliverTo: 'xagent',
    ownDeliverTo: undefined,
    replyWindow: undefined,
    createdAt: 0,
  };
}

function fakeCard(name: string, profile: ImProfile): ConnectorCard {
  const tool = (suffix: string) => ({
    tool_id: `${name}_${suffix}`,
    profile,
    title: suffix,
    description: suffix,
    related_skill_ids: [`connector-im-${name}`],
    input_schema: withConnectorChannelId({ type: 'object', required: [], properties: {} }),
    output_schema: { type: 'object' },
  });
  return {
    schema: CARD_SCHEMA,
    protocol_version: PROTOCOL_VERSION,
    build: { version: '0.1.0', git_tag: 'v0.1.0', git_rev: 'abc1234', build_time: '2601151200' },
    connector_card_id: `im.${name}`,
    connector: { name: `${name} Connector`, version: '1.2.3', vendor: 'Nobody', description: 'A fake.' },
    supports: {
      user_channel_mode: 'multiple',
      target_types: ['im'],
      targets: [{ target_type: 'im', provider: name, label: 'Fake' }],
      profiles: [profile],
    },
    tools: [tool('message_send'), tool('file_send')],
    auth_flows: [{ id: 'fake_login', target_type: 'im', type: 'qr_login', title: 'Sign in' }],
    ui: { login_flow: { flow_id: 'fake_login', steps: [] } },
    security: { trust_level: 'local', api_key_required: true, data_classes: ['message'] },
  };
}
