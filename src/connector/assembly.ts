import type { Clock } from '../base/clock.js';
import { Coalesced } from '../base/coalesced.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { STRAIGHT, type WayOut } from '../base/proxy/way-out.js';
import { within } from '../base/within.js';
import type { Delivery } from '../delivery/delivery.js';
import type { FileStore } from '../files/file-store.js';
import type { Build, ConnectionDescriptor, ConnectorCard, ImProfile } from '../protocol/index.js';
import type { SecretStore } from '../store/secrets/secret-store.js';
import type { Store } from '../store/store.js';
import type { BindingState, SignedInAccount, SignInAttempt, Target, TargetRuntime } from '../targets/target.js';
import { readAccounts } from './account-store.js';
import { Accounts, type Account } from './accounts.js';
import type { AgentServerPort } from './agent-server-port.js';
import { AuthSessions } from './auth-sessions.js';
import { Bindings } from './bindings.js';
import { buildCard } from './card.js';
import { readChannels } from './channel-store.js';
import { Channels, type Channel } from './channels.js';
import type { DeliverTo } from './connector.js';
import { CredentialVault, inputDigest } from './credentials.js';
import { projectDescriptor } from './descriptor.js';
import { newConnectorId, putIdentity, readIdentity, saveOfflineMs } from './identity.js';
import { Lease } from './lease.js';
import type { DataPlaneLink } from './link.js';

/** How long closing waits for changes under way and for the target, milliseconds each; the whole host has 5 s. */
const CLOSE_WAIT_MS = 1_500;

export interface ConnectorOptions {
  /** How long the host may run awake without a data plane before the connector id and all that hangs on it ends, milliseconds. */
  readonly graceMs: number;
  /** How long a person may take to sign in, milliseconds. */
  readonly sessionTtlMs: number;
  /** The one IM profile this connector speaks. */
  readonly profile: ImProfile;
  /** Whether the data plane asks for the API key; the card says so. */
  readonly apiKeyRequired: boolean;
  /** Where this network's accounts take their messages; `xagent` when left out. */
  readonly deliverTo?: DeliverTo;
}

export interface ConnectorParts {
  readonly target: Target;
  readonly delivery: Delivery;
  /** Takes the messages of accounts that deliver there; without one they stay pending. */
  readonly agentServer?: AgentServerPort;
  readonly store: Store;
  readonly secrets: SecretStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly log: Logger;
  /** Random numbers in [0, 1) for jitter. */
  readonly random: () => number;
  readonly build: Build;
  /** Told each secret that a person types for a sign-in, before anyone else sees it: what writes the log masks it. */
  readonly confidential?: (secret: string) => void;
  /** How the network is reached; straight when left out. */
  readonly wayOut?: WayOut;
  readonly options: ConnectorOptions;
}

/** The parts of one connector, wired to each other: what is stored, what runs, and who is told of a change. */
export class Assembly {
  readonly card: ConnectorCard;
  readonly deliverTo: DeliverTo;
  /** The data planes that completed their hello. */
  readonly links = new Set<DataPlaneLink>();
  readonly lease: Lease;
  readonly accounts: Accounts;
  readonly channels: Channels;
  readonly sessions: AuthSessions;
  readonly bindings: Bindings;
  readonly #parts: ConnectorParts;
  readonly #vault: CredentialVault;
  readonly #listeners = new Set<() => void>();
  readonly #notice = new Coalesced(() => {
    for (const listener of [...this.#listeners]) listener();
  });
  #connectorId: string;
  #runtime: TargetRuntime | undefined;
  #opened: Promise<void> = Promise.resolve();

  constructor(parts: ConnectorParts) {
    const { target, store, clock, options, delivery, files, random } = parts;
    const log = parts.log.child({ connector: target.name });
    this.#parts = { ...parts, log };
    this.deliverTo = options.deliverTo ?? 'xagent';
    this.card = buildCard(target, {
      build: parts.build,
      profile: options.profile,
      apiKeyRequired: options.apiKeyRequired,
    });
    this.#connectorId = readIdentity(store.sql, target.cardId)?.connectorId ?? newConnectorId();

    const runtime = (): TargetRuntime => this.#started();
    const { cardId } = target;
    this.lease = new Lease({
      clock,
      graceMs: options.graceMs,
      save: (offlineMs) => this.#saveLease(offlineMs),
      onEnd: () => void this.#endLease(),
    });
    this.#vault = new CredentialVault({ store, secrets: parts.secrets, clock, log, random, cardId });
    this.accounts = new Accounts({
      runtime,
      vault: this.#vault,
      store,
      delivery: {
        attach: (accountId, session) => {
          delivery.attach(accountId, session);
          this.#route(accountId);
        },
      },
      clock,
      log,
      random,
      changed: (accountId) => this.#accountChanged(accountId),
    });
    this.channels = new Channels(() => clock.now(), {
      route: (accountId, upstream) => {
        const account = this.accounts.get(accountId);
        if (account && this.bindings.deliverTo(account) === 'agentServer') return;
        delivery.route(accountId, upstream);
      },
      describe: (channel, profiles) => this.describe(channel, profiles),
      signingIn: (channelId) => this.sessions.runningOf(channelId) !== undefined,
      forgotten: (channelId) => this.sessions.end(channelId, 'canceled'),
      changed: () => this.changed(),
    });
    this.bindings = new Bindings({
      cardId,
      store,
      vault: this.#vault,
      accounts: this.accounts,
      channels: this.channels,
      delivery,
      files,
      agentServer: parts.agentServer,
      target,
      runtime,
      deliverTo: this.deliverTo,
      clock,
      log,
      random,
    });
    this.sessions = new AuthSessions({
      clock,
      log,
      ttlMs: options.sessionTtlMs,
      signIn: (attempt) => this.#started().signIn(attempt),
      known: () => this.#known(),
      bind: (signedIn, session, input, seal) => {
        const digest = session.flow.type === 'form' ? inputDigest(session.flow.id, input) : undefined;
        return this.bindings.bind(signedIn, session.channelId, digest, seal);
      },
      confidential: parts.confidential ?? (() => undefined),
      changed: ({ channelId }) => {
        // Whether it is authenticating is part of a channel's descriptor.
        if (channelId !== undefined) this.channels.signInChanged(channelId);
        this.changed();
      },
    });
  }

  get connectorId(): string {
    return this.#connectorId;
  }

  /** Resolves once each account that was stored has a session or can't have one yet. */
  get opened(): Promise<void> {
    return this.#opened;
  }

  changed(): void {
    this.#notice.request();
  }

  onChange(fn: () => void): () => void {
    this.#listeners.add(fn);
    return () => this.#listeners.delete(fn);
  }

  /** Stores where an account's messages go, and sends them there at once. False when it is unknown. @throws StoreError */
  async setDeliverTo(accountId: string, deliverTo: DeliverTo | undefined): Promise<boolean> {
    if (!(await this.bindings.setDeliverTo(accountId, deliverTo))) return false;
    if (this.#route(accountId) === 'xagent') this.channels.reroute(accountId);
    return true;
  }

  accountOf(channel: Channel): Account | undefined {
    return channel.accountId === undefined ? undefined : this.accounts.get(channel.accountId);
  }

  /** The channel's descriptor on a connection with these profiles. */
  describe(channel: Channel, profiles: readonly string[]): ConnectionDescriptor {
    const account = this.accountOf(channel);
    return projectDescriptor({
      card: this.card,
      connectorId: this.#connectorId,
      channelId: channel.channelId,
      profiles,
      binding: account
        ? {
            bound: true,
            state: this.#stateForAgents(account),
            displayName: account.row.displayName,
            accountHint: account.row.accountHint,
          }
        : { bound: false, authenticating: this.sessions.runningOf(channel.channelId) !== undefined },
    });
  }

  /** Reads what is stored and begins to open the accounts; does not wait until they are connected. */
  async start(): Promise<void> {
    const { store, target, clock, log, delivery, random, wayOut = STRAIGHT } = this.#parts;
    const { cardId } = target;
    const held = readIdentity(store.sql, cardId);
    if (!held) await store.write((sql) => putIdentity(sql, cardId, this.#connectorId, clock.now()));
    this.accounts.load(readAccounts(store.sql, cardId));
    this.channels.load(readChannels(store.sql, cardId));
    const accounts = (): readonly SignedInAccount[] => this.accounts.signedInNow();
    this.#runtime = target.start({ clock, log, intake: delivery.intake, random, wayOut, accounts });
    // An id that no agent was ever told has no lease to lose.
    if (held) this.lease.begin(held.offlineMs);
    this.#opened = this.accounts.openAll();
    void this.#vault.sweep();
  }

  wake(): void {
    this.lease.wake();
    this.#runtime?.wake?.();
    this.accounts.retryNow();
    void this.#vault.sweep();
  }

  /** Ends everything in a bounded time. */
  async close(): Promise<void> {
    const { clock, store } = this.#parts;
    this.sessions.endAll('all');
    this.lease.close();
    this.bindings.close();
    this.#vault.close();
    this.channels.shutDown();
    await within(clock, CLOSE_WAIT_MS, this.bindings.idle());
    await this.accounts.closeAll();
    if (this.#runtime) await within(clock, CLOSE_WAIT_MS, this.#runtime.stop());
    this.#runtime = undefined;
    this.#notice.cancel();
    this.#listeners.clear();
    await store.flush();
  }

  /** Hands an account to the AgentServer while it has a session and delivers there, and takes it back otherwise. */
  #route(accountId: string): DeliverTo {
    const { agentServer, delivery, target } = this.#parts;
    const account = this.accounts.get(accountId);
    const deliverTo = account ? this.bindings.deliverTo(account) : 'xagent';
    if (deliverTo === 'agentServer' && account?.session && agentServer) {
      // The route is its own from here on: one that it keeps for an account it serves already is not to be taken away.
      agentServer.serve({ accountId, cardId: target.cardId, connector: target.name });
      return deliverTo;
    }
    agentServer?.leave(accountId);
    if (deliverTo === 'agentServer') delivery.route(accountId, undefined);
    return deliverTo;
  }

  /** An agent can still send on an account whose messages go to an AgentServer, and hears nothing of it. */
  #stateForAgents(account: Account): BindingState {
    const { state } = account;
    if (state.status !== 'connected' || this.bindings.deliverTo(account) !== 'agentServer') return state;
    return { status: 'degraded', code: 'delivers_elsewhere', since: state.since };
  }

  #started(): TargetRuntime {
    if (!this.#runtime) throw new Error('the connector is not running');
    return this.#runtime;
  }

  #accountChanged(accountId: string): void {
    const channel = this.channels.ofAccount(accountId);
    if (channel) this.channels.publish(channel.channelId);
    this.changed();
  }

  #known(): Pick<SignInAttempt, 'existing' | 'credentialsOf'> {
    return {
      existing: this.accounts.all().map(({ row }) => ({
        accountId: row.accountId,
        identity: row.identity,
        binding: row.binding,
      })),
      credentialsOf: async (accountId) => {
        const account = this.accounts.get(accountId);
        const stored = account?.stored ?? (account && (await this.#vault.read(accountId)));
        return stored?.credentials;
      },
    };
  }

  #saveLease(offlineMs: number): void {
    const { store, target, log } = this.#parts;
    saveOfflineMs(store, target.cardId, this.#connectorId, offlineMs).catch((error: unknown) => {
      log.warn({ error: describeError(error) }, 'the time used of the lease could not be stored');
    });
  }

  async #endLease(): Promise<void> {
    const { target, clock, log } = this.#parts;
    const next = newConnectorId();
    await this.bindings.endLease(
      () => {
        // A data plane that came while another change was under way has kept the lease.
        if (this.links.size > 0) return false;
        log.info({ connector_id: this.#connectorId }, 'no data plane for the whole grace: the connector id ends');
        this.#connectorId = next;
        this.sessions.endAll('of channels');
        return true;
      },
      (sql) => putIdentity(sql, target.cardId, next, clock.now()),
    );
    this.#notice.request();
  }
}
