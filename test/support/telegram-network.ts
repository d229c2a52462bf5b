import { refusals, startTelegramSimulator, type TelegramSimulator } from '../simulators/telegram/index.js';
import { eventually } from './deadline.js';
import type { Config } from './host-process.js';
import type { NetworkRig } from './rig.js';
import type { SpecAgent } from './spec-agent.js';

/** The person's user id; a private chat has its person's id. */
const PERSON = 42_001;
/** Calls that fail in an outage: as many as any test makes. */
const MANY = 10_000;

/** Telegram as this project's own simulator plays it, with the faults that third-party emulators lack. */
export class TelegramNetwork implements NetworkRig {
  readonly name = 'telegram';
  readonly cardId = 'im.telegram';
  readonly flowId = 'telegram_bot_binding';
  readonly messageTool = 'telegram_message_send';
  readonly fileTool = 'telegram_file_send';
  readonly token = '123456789:AAE-simulated-bot-token-0123456789abcdef';
  #simulator: TelegramSimulator | undefined;
  #seenActions = 0;

  config(): Config {
    return { connectors: { telegram: { apiRoot: this.simulator.apiRoot } } };
  }

  input(): Record<string, unknown> {
    return { bot_token: this.token, chat_id: String(PERSON) };
  }

  get simulator(): TelegramSimulator {
    if (!this.#simulator) throw new Error('the simulator does not run');
    return this.#simulator;
  }

  async start(): Promise<void> {
    this.#simulator = await startTelegramSimulator({ token: this.token });
    this.#simulator.start(PERSON, 'Kim');
  }

  attach(): Promise<void> {
    // The simulator knows its bot; a host needs no introduction.
    return Promise.resolve();
  }

  async signIn(agent: SpecAgent, channel: string): Promise<void> {
    await agent.bind(this.flowId, this.input(), channel);
  }

  bound(): Promise<void> {
    // One bot, one chat: nothing to look up.
    return Promise.resolve();
  }

  personSays(text: string): Promise<void> {
    this.simulator.say(PERSON, text, { firstName: 'Kim' });
    return Promise.resolve();
  }

  /** The person sends a file without a word. */
  personSendsFile(bytes: Buffer, name: string, mimeType: string): void {
    this.simulator.sendDocument(PERSON, bytes, name, mimeType);
  }

  /** Files the bot put into the chat, in order. */
  filesOfBot(): { filename: string; bytes: Buffer }[] {
    return this.simulator.messagesIn(PERSON).flatMap(({ file }) => (file ? [file] : []));
  }

  visible(): Promise<readonly string[]> {
    return Promise.resolve(this.simulator.textsIn(PERSON));
  }

  /** Every text that was ever on the screen, drafts and earlier versions of a message too. */
  everShown(): readonly string[] {
    const messages = this.simulator.messagesIn(PERSON).flatMap((message) => [...message.edits, message.text]);
    return [...this.simulator.world.drafts.map((draft) => draft.text), ...messages];
  }

  sawTyping(): Promise<boolean> {
    const { actions } = this.simulator.world;
    const typed = actions.slice(this.#seenActions).some(({ action }) => action === 'typing');
    this.#seenActions = actions.length;
    return Promise.resolve(typed);
  }

  /** A server that knows no drafts: unfinished answers are messages of their own. */
  withoutDrafts(): void {
    this.simulator.faults.add('sendMessageDraft', refusals.unknownMethod, MANY);
  }

  /** The next call of `method` has its effect but is not answered until {@link release}; resolves when it has. */
  hangAfterEffect(method: string): Promise<unknown> {
    const sent = (): number => this.simulator.messagesIn(PERSON).filter((message) => message.method === method).length;
    const before = sent();
    this.simulator.faults.add(method, { kind: 'holdAfter' });
    return eventually(() => sent() > before, `effect of ${method}`);
  }

  /** The next call of `method` is refused for a time; resolves when it was. */
  refuseNext(method: string, retryAfterSeconds: number): Promise<unknown> {
    const before = this.simulator.countOf(method);
    this.simulator.faults.add(method, refusals.tooMany(retryAfterSeconds));
    return eventually(() => this.simulator.countOf(method) > before, `refusal of ${method}`);
  }

  release(): void {
    this.simulator.release();
  }

  /** Whatever the bot calls from now on fails in one of the ways a network has. */
  outage(): void {
    const { faults } = this.simulator;
    faults.add('getUpdates', { kind: 'cutBefore' }, MANY);
    faults.add('sendMessage', { kind: 'garbage', status: 502, body: `<html>bad gateway ${this.token}</html>` }, 2);
    faults.add('sendMessage', { kind: 'cutAfter' }, MANY);
  }

  recover(): void {
    this.simulator.faults.clear();
  }

  async stop(): Promise<void> {
    await this.#simulator?.close();
  }
}
