import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createConnector, type Connector, type ConnectorOptions } from '../../src/connector/index.js';
import { PROTOCOL_VERSION, type HelloPayload } from '../../src/protocol/index.js';
import { openStore } from '../../src/store/database.js';
import { FakeLink } from './fake-link.js';
import { FakeTarget, type FakeTargetOptions, type ScriptedSignIn } from './fake-target.js';
import { FlakyStore } from './flaky-store.js';
import { ManualClock, settle } from './manual-clock.js';
import { MemoryFiles } from './memory-files.js';
import { MemorySecretStore } from './memory-secrets.js';
import { quietLog } from './quiet-log.js';
import { RecordingDelivery } from './recording-delivery.js';

export const GRACE_MS = 3_600_000;
export const SESSION_TTL_MS = 480_000;

const BUILD = { version: '0.1.0', git_tag: 'v0.1.0', git_rev: 'abc1234', build_time: '2601151200' };

/**
 * A connector on a real store with everything around it played by the test: the network, the agent's sockets, the secret
 * store and the delivery room. {@link restart} is what a restart of the host is to it.
 */
export class ConnectorRig {
  readonly clock = new ManualClock();
  readonly secrets = new MemorySecretStore();
  readonly files = new MemoryFiles();
  delivery = new RecordingDelivery();
  target: FakeTarget;
  connector: Connector;
  /** Told each secret a person gave. */
  onSecret: (secret: string) => void = () => undefined;

  private constructor(
    readonly store: FlakyStore,
    private readonly dataDir: string,
    private readonly targetOptions: FakeTargetOptions,
    private readonly options: Partial<ConnectorOptions>,
  ) {
    this.target = new FakeTarget(targetOptions);
    this.connector = this.#create();
  }

  static async start(target: FakeTargetOptions = {}, options: Partial<ConnectorOptions> = {}): Promise<ConnectorRig> {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'connector-'));
    const store = new FlakyStore(await openStore({ dataDir, clock: new ManualClock(), log: quietLog }));
    const rig = new ConnectorRig(store, dataDir, target, options);
    await rig.connector.start();
    await settle();
    return rig;
  }

  /** The host ends in order and starts again over the same data. */
  async restart(options: { crash?: boolean } = {}): Promise<void> {
    if (!options.crash) await this.connector.close();
    this.target = new FakeTarget(this.targetOptions);
    this.delivery = new RecordingDelivery();
    this.connector = this.#create();
    await this.connector.start();
    await settle();
  }

  async stop(): Promise<void> {
    await this.connector.close();
    await this.store.close();
    fs.rmSync(this.dataDir, { recursive: true, force: true });
  }

  /** A new data plane that completed its hello. */
  agent(hello: Partial<HelloPayload> = {}): FakeLink {
    const link = new FakeLink();
    this.connector.hello(link, this.hello(hello));
    return link;
  }

  hello(hello: Partial<HelloPayload> = {}): HelloPayload {
    return {
      connector_card_id: this.target.cardId,
      connector_id: '',
      protocol_version: PROTOCOL_VERSION,
      supported_profiles: ['xagent.im.v1', 'xagent.im.v2'],
      ...hello,
    };
  }

  /** A new channel, open on this data plane. */
  async newChannel(link: FakeLink): Promise<string> {
    const { connector_channel_id } = await this.connector.openChannel(link, '');
    return connector_channel_id;
  }

  /** A channel of this data plane with this identity signed in through a QR, its session connected. */
  async signedIn(link: FakeLink, identity = 'alice'): Promise<{ channelId: string; accountId: string }> {
    const channelId = await this.newChannel(link);
    const accountId = await this.signInOn(link, channelId, identity);
    return { channelId, accountId };
  }

  async signInOn(link: FakeLink, channelId: string, identity = 'alice'): Promise<string> {
    const answer = this.connector.authStart(link, channelId, {});
    const signIn = await this.nextSignIn();
    signIn.succeed({ identity });
    await answer;
    await settle();
    const { accountId } = this.connector.openRoute(link, channelId);
    if (accountId === undefined) throw new Error('the channel has no account after its sign-in');
    return accountId;
  }

  /** An account signed in from the window: nobody has claimed it. */
  async unclaimed(identity = 'alice', input: Record<string, string> = {}): Promise<string> {
    const answer = this.connector.signIn(input);
    const signIn = await this.nextSignIn();
    signIn.succeed({ identity });
    const facts = await answer;
    await settle();
    if (facts.status !== 'authenticated') throw new Error(`the sign-in ended ${facts.status}`);
    return facts.accountId;
  }

  /** The sign-in that the last call began, once the network has heard of it. */
  async nextSignIn(): Promise<ScriptedSignIn> {
    await settle();
    return this.target.signIn;
  }

  /** Everything of a table, for what only the database can tell. */
  rows(
    table: 'account' | 'channel' | 'connector' | 'consumer_state' | 'unwanted_secret' | 'gone_account',
  ): Record<string, unknown>[] {
    return this.store.sql.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
  }

  #create(): Connector {
    return createConnector({
      target: this.target,
      delivery: this.delivery,
      store: this.store,
      secrets: this.secrets,
      files: this.files,
      clock: this.clock,
      log: quietLog,
      random: () => 0,
      build: BUILD,
      confidential: (secret) => this.onSecret(secret),
      options: {
        graceMs: GRACE_MS,
        sessionTtlMs: SESSION_TTL_MS,
        profile: 'xagent.im.v2',
        apiKeyRequired: true,
        ...this.options,
      },
    });
  }
}
