import { faults, PERSON, startIlinkSimulator, type IlinkSimulator } from '../simulators/ilink/index.js';
import { eventually } from './deadline.js';
import type { Config } from './host-process.js';
import type { NetworkRig } from './rig.js';
import { statusOf, type SpecAgent } from './spec-agent.js';

/** Calls that fail in an outage: as many as any test makes. */
const MANY = 10_000;
/** A sign-in polls once a second; milliseconds. */
const SIGN_IN_MS = 20_000;

/** WeChat as this project's own strict iLink plays it, with the phone of one person. */
export class WechatNetwork implements NetworkRig {
  readonly name = 'wechat';
  readonly cardId = 'im.wechat';
  readonly flowId = 'wechat_qr_login';
  readonly messageTool = 'wechat_message_send';
  readonly fileTool = 'wechat_file_send';
  #simulator: IlinkSimulator | undefined;
  #seenTyping = 0;

  config(): Config {
    const { apiBaseUrl, cdnBaseUrl } = this.simulator;
    return { connectors: { wechat: { apiBaseUrl, cdnBaseUrl } } };
  }

  /** A QR flow has no fields. */
  input(): Record<string, unknown> {
    return {};
  }

  get simulator(): IlinkSimulator {
    if (!this.#simulator) throw new Error('the simulator does not run');
    return this.#simulator;
  }

  async start(): Promise<void> {
    this.#simulator = await startIlinkSimulator();
  }

  attach(): Promise<void> {
    return Promise.resolve();
  }

  /** The agent shows the QR, the person scans it and confirms. */
  async signIn(agent: SpecAgent, channel: string): Promise<void> {
    const from = agent.received.mark;
    const { logins } = this.simulator;
    const before = logins.shown.length;
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: this.flowId } });
    if (ack.payload?.['status'] === 'authenticated') return;
    // The code of an earlier sign-in is no use: the person scans the one that this sign-in shows.
    await eventually(() => logins.shown.length > before, 'a QR');
    this.simulator.logins.confirm(PERSON);
    await agent.received.next(
      (p) => p.type === 'connection.descriptor.push' && statusOf(p.payload?.['connection_descriptor']) === 'connected',
      'the sign-in to complete',
      { from, ms: SIGN_IN_MS },
    );
  }

  /** The person opens the conversation: before that the network lets nothing through to them. */
  async bound(agent: SpecAgent): Promise<void> {
    const from = agent.messages.mark;
    await this.personSays('hi');
    await agent.messages.next((message) => message.text === 'hi', 'the first message', { from });
  }

  personSays(text: string): Promise<void> {
    this.simulator.say(text);
    return Promise.resolve();
  }

  visible(): Promise<readonly string[]> {
    return Promise.resolve(this.simulator.shownTexts);
  }

  sawTyping(): Promise<boolean> {
    const calls = this.simulator.callsOf('sendtyping');
    const typed = calls.slice(this.#seenTyping).some(({ body }) => body['status'] === 1);
    this.#seenTyping = calls.length;
    return Promise.resolve(typed);
  }

  /** The next call has its effect but is not answered until {@link release}; resolves when it has. */
  hangAfterEffect(): Promise<unknown> {
    const shown = this.simulator.phone.shown.length;
    this.simulator.faults.add('sendmessage', { kind: 'holdAfter' });
    return eventually(() => this.simulator.phone.shown.length > shown, 'the effect of sendmessage');
  }

  release(): void {
    this.simulator.release();
  }

  outage(): void {
    this.simulator.faults.add('getupdates', { kind: 'cutBefore' }, MANY);
    this.simulator.faults.add('sendmessage', faults.status(502), MANY);
  }

  recover(): void {
    this.simulator.faults.clear();
  }

  /** @throws when the product broke a rule of the network */
  async stop(): Promise<void> {
    await this.#simulator?.close();
    const violations = this.#simulator?.violations ?? [];
    if (violations.length > 0) throw new Error(`rules of iLink were broken: ${violations.join('; ')}`);
  }
}
