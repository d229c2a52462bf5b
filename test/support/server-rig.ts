import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocket, type ClientOptions } from 'ws';
import { systemClock, type Clock } from '../../src/base/clock.js';
import type { Activity, OutboundRoute, Verdict } from '../../src/delivery/delivery.js';
import { createFileStore, type FileStore } from '../../src/files/index.js';
import {
  DATA_PLANE_SUBPROTOCOL,
  IM_V1,
  IM_V2,
  PACKET_SCHEMA,
  PacketSchema,
  checker,
  type Packet,
} from '../../src/protocol/index.js';
import {
  DEFAULT_LIMITS,
  buildStatusReport,
  createServer,
  type Mount,
  type Server,
  type ServerLimits,
  type ServerOptions,
} from '../../src/server/index.js';
import { openStore } from '../../src/store/index.js';
import { Journal, within } from './deadline.js';
import { FakeConnector } from './fake-connector.js';
import { quietLog } from './quiet-log.js';
import { RecordingDelivery } from './recording-delivery.js';

/** A delivery room that also remembers deltas, activities and verdicts. */
export class SpyDelivery extends RecordingDelivery {
  /** What happened on the outbound side, in order. */
  readonly events: string[] = [];
  readonly activities: Activity[] = [];
  readonly verdicts: { readonly accountId: string; readonly messageId: string; readonly verdict: Verdict }[] = [];
  onDelta: () => void = () => undefined;

  override deliver: RecordingDelivery['deliver'] = (request) => {
    this.events.push(`final ${request.id}`);
    this.requests.push(request);
    return this.onDeliver(request);
  };
  override delta = (_route?: OutboundRoute, messageId?: string, sequence?: number): void => {
    this.events.push(`delta ${messageId} ${sequence}`);
    this.onDelta();
  };
  override activity = (_route?: OutboundRoute, activity?: Activity): void => {
    if (activity) this.activities.push(activity);
  };
  override acknowledge = (accountId?: string, messageId?: string, verdict?: Verdict): void => {
    if (accountId !== undefined && messageId !== undefined && verdict)
      this.verdicts.push({ accountId, messageId, verdict });
  };
}

export const API_KEY = 'k'.repeat(43);
const MAX_UPLOAD_BYTES = 100_000;
const UNUSED_AGENT_SERVER = {
  status: 'unused',
  code: null,
  since: null,
  retry_at: null,
  accounts: 0,
  running: 0,
  waiting_answers: 0,
  counters: {},
} as const;

export interface RigOptions {
  readonly connectors?: readonly FakeConnector[];
  readonly clock?: Clock;
  readonly options?: Partial<ServerOptions>;
  readonly limits?: Partial<Omit<ServerLimits, 'dataPlane'>>;
  readonly dataPlane?: Partial<ServerLimits['dataPlane']>;
  readonly mounts?: readonly Mount[];
  readonly files?: { readonly maxUploadBytes: number; readonly maxTotalBytes: number };
}

/** A real server on a free loopback port, over fake connectors and a real file store. */
export class ServerRig {
  key: string | undefined = API_KEY;
  readonly delivery = new SpyDelivery();
  readonly #rotated = new Set<() => void>();
  readonly #agents: TestAgent[] = [];

  private constructor(
    readonly connectors: readonly FakeConnector[],
    readonly files: FileStore,
    readonly dataDir: string,
    private readonly end: () => Promise<void>,
  ) {}

  server!: Server;
  port = 0;

  static async start(setup: RigOptions = {}): Promise<ServerRig> {
    const clock = setup.clock ?? systemClock;
    const dataDir = await mkdtemp(path.join(tmpdir(), 'server-rig-'));
    const store = await openStore({ dataDir, clock: systemClock, log: quietLog });
    const options = { maxUploadBytes: MAX_UPLOAD_BYTES, ttlMs: 60_000, maxTotalBytes: 500_000, ...setup.files };
    const files = createFileStore({ store, dataDir, clock: systemClock, log: quietLog, options });
    const connectors = setup.connectors ?? [new FakeConnector('alpha'), new FakeConnector('beta')];
    const rig = new ServerRig(connectors, files, dataDir, async () => {
      await files.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    });
    try {
      await rig.#listen(setup, clock);
    } catch (error) {
      await rig.end();
      throw error;
    }
    return rig;
  }

  async #listen(setup: RigOptions, clock: Clock): Promise<void> {
    const { connectors, files } = this;
    this.server = createServer({
      connectors,
      files,
      delivery: this.delivery,
      apiKey: {
        current: () => this.key,
        onRotate: (fn) => {
          this.#rotated.add(fn);
          return () => this.#rotated.delete(fn);
        },
      },
      status: () =>
        buildStatusReport(connectors, this.delivery, {
          build: this.connector.card.build,
          now: clock.now(),
          uptimeMs: 1_500,
          agentServer: UNUSED_AGENT_SERVER,
        }),
      options: {
        host: '127.0.0.1',
        port: 0,
        allowedHosts: [],
        allowedOrigins: [],
        maxPacketBytes: 4 * 1024 * 1024,
        helloTimeoutMs: 30_000,
        pingIntervalMs: 25_000,
        maxUploadBytes: MAX_UPLOAD_BYTES,
        ...setup.options,
      },
      limits: { ...DEFAULT_LIMITS, ...setup.limits, dataPlane: { ...DEFAULT_LIMITS.dataPlane, ...setup.dataPlane } },
      ...(setup.mounts ? { mounts: setup.mounts } : {}),
      clock,
      log: quietLog,
    });
    this.port = (await this.server.listen()).port;
  }

  get connector(): FakeConnector {
    const [first] = this.connectors;
    if (!first) throw new Error('the rig has no connector');
    return first;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get bearer(): { authorization: string } {
    return { authorization: `Bearer ${this.key}` };
  }

  rotate(key: string): void {
    this.key = key;
    for (const fn of this.#rotated) fn();
  }

  /** A socket on the first connector's data plane (or another's); says hello unless told not to. */
  async agent(setup: AgentSetup = {}): Promise<TestAgent> {
    const connector = setup.connector ?? this.connector;
    const agent = new TestAgent(`ws://127.0.0.1:${this.port}/${connector.name}/ws`, connector, {
      headers: this.bearer,
      ...setup.socket,
    });
    this.#agents.push(agent);
    await agent.opened;
    if (setup.hello !== false) await agent.hello(setup.profiles);
    return agent;
  }

  async stop(): Promise<void> {
    for (const agent of this.#agents) agent.socket.terminate();
    await this.server.close();
    await this.end();
  }
}

export interface AgentSetup {
  readonly connector?: FakeConnector;
  readonly hello?: boolean;
  readonly profiles?: readonly string[];
  readonly socket?: ClientOptions;
}

const checkPacket = checker(PacketSchema, 'packet from the server');
let packets = 0;

/** An agent that speaks packets and holds every answer to the envelope's schema. */
export class TestAgent {
  readonly socket: WebSocket;
  readonly received = new Journal<Packet>();
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;

  constructor(
    url: string,
    private readonly connector: FakeConnector,
    options: ClientOptions,
  ) {
    this.socket = new WebSocket(url, [DATA_PLANE_SUBPROTOCOL], options);
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('open', resolve);
      this.socket.once('error', reject);
    });
    this.closed = within(
      new Promise((resolve) => {
        this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
      }),
      'the socket to close',
      60_000,
    );
    this.closed.catch(() => undefined);
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data: Buffer) => this.received.push(checkPacket(JSON.parse(data.toString('utf8')))));
  }

  /** Sends a packet with a fresh `packet_id` and gives it back. */
  send(packet: Record<string, unknown>): { packet_id: string } {
    packets += 1;
    const whole = { schema: PACKET_SCHEMA, packet_id: `pkt_test_${packets}`, ...packet };
    this.socket.send(JSON.stringify(whole));
    return whole;
  }

  /** Sends and resolves with the packet that answers. */
  async request(packet: Record<string, unknown>): Promise<Packet> {
    const from = this.received.mark;
    const { packet_id } = this.send(packet);
    return this.received.next((answer) => answer.reply_to === packet_id, `an answer to ${String(packet['type'])}`, {
      from,
    });
  }

  hello(profiles: readonly string[] = [IM_V1, IM_V2], more: Record<string, unknown> = {}): Promise<Packet> {
    return this.request({
      type: 'connector.hello',
      payload: {
        connector_card_id: this.connector.card.connector_card_id,
        connector_id: '',
        protocol_version: '3.0',
        supported_profiles: profiles,
        ...more,
      },
    });
  }

  /** Opens a channel that is signed in. */
  async open(accountId = 'acc_1', channelId = 'cch_1'): Promise<string> {
    this.connector.addChannel(channelId, accountId);
    await this.request({ type: 'channel.open', connector_channel_id: channelId });
    return channelId;
  }

  /** Resolves once everything sent before has been taken in by the server. */
  async settle(): Promise<void> {
    await this.request({ type: 'ping' });
  }
}
