import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgentServer, type AgentServer, type AgentServerOptions } from '../../src/agent-server/index.js';
import type { InboundMessage } from '../../src/targets/target.js';
import { startAgentServer, type AgentServerSimulator } from '../simulators/agent-server/index.js';
import { FakeNetwork, message, openWorld, receive, type World } from './delivery-world.js';
import { eventually } from './deadline.js';
import { recordingLog, type LogLine } from './recording-log.js';

export const ACCOUNT = { accountId: 'acc_1', cardId: 'im.fake', connector: 'fake' } as const;
/** How far the clock goes between two looks, where time has to pass; milliseconds. */
const STEP_MS = 250;

/** A network that shows answers while they grow, and tells what it showed. */
export class StreamingNetwork extends FakeNetwork {
  /** Every text that was ever on the screen of the growing message. */
  readonly shown: string[] = [];
  override readonly stream = {
    minIntervalMs: 0,
    open: (text: string) => {
      this.shown.push(text);
      return Promise.resolve({ handle: 'h', visible: true });
    },
    update: (_handle: string, text: string) => {
      this.shown.push(text);
      return Promise.resolve();
    },
    finish: async (_handle: string, part: Parameters<FakeNetwork['send']>[0], key: string) => this.send(part, key),
  };
}

/** The upstream on real delivery and a real disk, a simulated server on a real socket, and a clock that the test moves. */
export class AgentServerRig {
  world: World;
  agentServer: AgentServer;
  network = new StreamingNetwork();
  readonly server: AgentServerSimulator;
  readonly dataDir = mkdtempSync(join(tmpdir(), 'agent-server-'));
  readonly responses: string[] = [];
  readonly logged: LogLine[] = [];
  readonly #options: Partial<AgentServerOptions>;
  #count = 0;

  private constructor(world: World, server: AgentServerSimulator, options: Partial<AgentServerOptions>) {
    this.world = world;
    this.server = server;
    this.#options = options;
    this.agentServer = this.#create();
  }

  /** @param options merged over what a test rarely cares about */
  static async start(
    options: Partial<AgentServerOptions> = {},
    server?: AgentServerSimulator,
  ): Promise<AgentServerRig> {
    const rig = new AgentServerRig(await openWorld(), server ?? (await startAgentServer()), options);
    await rig.agentServer.start();
    return rig;
  }

  /** Serves the account, its session attached, and waits until the server is connected. */
  async connect(): Promise<void> {
    this.attach();
    await this.until(() => this.agentServer.facts().state.status === 'connected', 'connected');
  }

  attach(): void {
    this.world.delivery.attach(ACCOUNT.accountId, this.network);
    this.agentServer.serve(ACCOUNT);
  }

  /** The person writes; resolves once that is on disk. @returns its id */
  async says(text: string, more: Partial<InboundMessage> = {}): Promise<string> {
    const id = `m${String(++this.#count)}`;
    // Two messages of a person never come in the same instant.
    await this.world.clock.advance(1);
    await receive(this.world.delivery, ACCOUNT.accountId, message(id, { text, ...more }));
    return id;
  }

  /** Texts that reached the person, in order. */
  get texts(): string[] {
    return this.network.texts;
  }

  get pending(): number {
    return this.world.delivery.queue(ACCOUNT.accountId).pending;
  }

  /** Lets real I/O go on until something is true; with `passes`, time goes on too. */
  until(condition: () => boolean, what: string, { passes = false } = {}): Promise<true> {
    return eventually(async () => {
      if (condition()) return true as const;
      await this.world.clock.advance(passes ? STEP_MS : 0);
      return condition() || false;
    }, what);
  }

  untilText(text: string): Promise<true> {
    return this.until(
      () => this.texts.includes(text),
      `"${text}" in the chat, which has ${JSON.stringify(this.texts)}`,
    );
  }

  untilAsked(count: number): Promise<true> {
    return this.until(() => this.server.of('chat.send').length >= count, `${String(count)} requests`);
  }

  /** Kills this run of the program and starts the next on the same disk, the account served again. */
  async crash(): Promise<void> {
    const dead = this.agentServer;
    this.world = this.world.crash();
    // A killed process has no sockets.
    await dead.close().catch(() => undefined);
    this.network = new StreamingNetwork();
    this.agentServer = this.#create();
    await this.agentServer.start();
    await this.connect();
  }

  async stop(): Promise<void> {
    await this.agentServer.close();
    await this.server.close();
    await this.world.end();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  #create(): AgentServer {
    const { clock, store, files, delivery } = this.world;
    return createAgentServer({
      delivery,
      store,
      files,
      dataDir: this.dataDir,
      responseLog: (line) => this.responses.push(line),
      clock,
      log: recordingLog(this.logged),
      random: () => 0,
      options: {
        url: this.server.url,
        mode: 'agent',
        idleTimeoutMs: 600_000,
        filesRoot: null,
        filesUrl: this.server.filesUrl,
        isLocal: true,
        pendingTtlMs: 3_600_000,
        filesTtlMs: 86_400_000,
        ...this.#options,
      },
    });
  }
}
