import { systemClock, type Clock } from '../../src/base/clock.js';
import { startFeishuSimulator, type App, type FeishuSimulator } from '../simulators/feishu/index.js';
import { eventually } from './deadline.js';
import type { Config } from './host-process.js';
import type { NetworkRig } from './rig.js';
import { statusOf, type SpecAgent } from './spec-agent.js';

/** A sign-in polls once a second here; milliseconds. */
const SIGN_IN_MS = 20_000;

/** Feishu as this project's own simulator plays it, with the phone of one person. */
export class FeishuNetwork implements NetworkRig {
  readonly name = 'feishu';
  readonly cardId = 'im.feishu';
  readonly flowId = 'feishu_qr_create_app';
  readonly messageTool = 'feishu_message_send';
  readonly fileTool = 'feishu_file_send';
  readonly person = 'ou_kim';
  /** The app of the last sign-in. */
  app: App | undefined;
  #simulator: FeishuSimulator | undefined;
  #seenReactions = 0;
  readonly #clock: Clock;

  /** @param clock times the network's redeliveries */
  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  config(): Config {
    return { connectors: { feishu: { apiBaseUrl: this.simulator.url, accountsBaseUrl: this.simulator.url } } };
  }

  /** A QR flow has no fields. */
  input(): Record<string, unknown> {
    return {};
  }

  get simulator(): FeishuSimulator {
    if (!this.#simulator) throw new Error('the simulator does not run');
    return this.#simulator;
  }

  async start(): Promise<void> {
    this.#simulator = await startFeishuSimulator(this.#clock);
    const { registrations } = this.#simulator;
    registrations.options = { ...registrations.options, intervalS: 1 };
  }

  attach(): Promise<void> {
    return Promise.resolve();
  }

  /** The agent shows the QR, the person scans it and confirms. */
  async signIn(agent: SpecAgent, channel: string): Promise<void> {
    const from = agent.received.mark;
    const begun = this.simulator.registrations.begun.length;
    await agent.request('auth.start', { channel, payload: { flow_id: this.flowId } });
    await eventually(() => this.simulator.registrations.begun.length > begun, 'a QR');
    this.app = this.simulator.confirm(this.person);
    await agent.received.next(
      (p) => p.type === 'connection.descriptor.push' && statusOf(p.payload?.['connection_descriptor']) === 'connected',
      'the sign-in to complete',
      { from, ms: SIGN_IN_MS },
    );
  }

  bound(): Promise<void> {
    return Promise.resolve();
  }

  personSays(text: string): Promise<void> {
    this.simulator.say(this.person, text);
    return Promise.resolve();
  }

  visible(): Promise<readonly string[]> {
    return Promise.resolve(this.simulator.world.visible());
  }

  sawTyping(): Promise<boolean> {
    const { reacted } = this.simulator.world;
    const typed = reacted.length > this.#seenReactions;
    this.#seenReactions = reacted.length;
    return Promise.resolve(typed);
  }

  async stop(): Promise<void> {
    await this.#simulator?.close();
  }
}
