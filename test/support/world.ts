import { HostProcess, type Config, type StartOptions } from './host-process.js';
import type { NetworkRig } from './rig.js';
import { SpecAgent, type AgentOptions } from './spec-agent.js';

/** One host, one network behind it, and the agents that speak to it. */
export class World {
  readonly #agents: SpecAgent[] = [];

  private constructor(
    readonly host: HostProcess,
    readonly rig: NetworkRig,
  ) {}

  static async start(rig: NetworkRig, config: Config = {}, options: StartOptions = {}): Promise<World> {
    await rig.start();
    const own = rig.config();
    const connectors = { ...(isConfig(own['connectors']) ? own['connectors'] : {}) };
    for (const [name, value] of Object.entries(isConfig(config['connectors']) ? config['connectors'] : {})) {
      const before = connectors[name];
      connectors[name] = isConfig(before) && isConfig(value) ? { ...before, ...value } : value;
    }
    const host = await HostProcess.start({ ...options, config: { ...own, ...config, connectors } });
    await rig.attach(host);
    return new World(host, rig);
  }

  get base(): string {
    return this.host.base(this.rig.name);
  }

  /** A connected agent that said hello; {@link farewell} checks what it saw. */
  async agent(options: Partial<AgentOptions> = {}): Promise<SpecAgent> {
    const agent = await SpecAgent.connect({ baseUrl: this.base, apiKey: this.host.apiKey, ...options });
    this.#agents.push(agent);
    return agent;
  }

  /** A connected agent with one signed-in channel. */
  async bound(options: Partial<AgentOptions> = {}): Promise<{ agent: SpecAgent; channel: string }> {
    const agent = await this.agent(options);
    const { channel } = await agent.open();
    await this.rig.signIn(agent, channel);
    await agent.untilStatus(channel, 'connected');
    await this.rig.bound(agent, channel);
    return { agent, channel };
  }

  /** The host is back on the same data directory, its network too, and so is the agent with what it remembers; no channel is open yet. */
  async resume(before: SpecAgent, memory = before.memory): Promise<SpecAgent> {
    await this.host.restart();
    await this.rig.attach(this.host);
    return this.agent({ connectorId: before.connectorId, memory });
  }

  /** Every agent leaves; any rule the server broke towards one of them fails the test. */
  async farewell(): Promise<void> {
    const leaving = this.#agents.splice(0);
    for (const agent of leaving) await agent.bye();
  }

  /** Signs the bound account out, so that the next test begins with none. */
  async signOut(agent: SpecAgent, channel: string): Promise<void> {
    await agent.request('auth.logout', { channel });
  }

  async end(): Promise<void> {
    for (const agent of this.#agents.splice(0)) agent.crash();
    await this.host.destroy();
    await this.rig.stop();
  }
}

function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
