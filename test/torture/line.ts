import type { HostProcess } from '../support/host-process.js';
import { AgentMemory, SpecAgent, type AckBehaviour, type ReceivedMessage } from '../support/spec-agent.js';
import { counterOf } from '../support/status.js';
import { Answers } from './answers.js';
import { contentOf, type Network } from './conversation.js';
import type { Random } from './random.js';

/** Code of an answer that may or may not be at the network. */
const IN_DOUBT = 'delivery_unknown';
const DELIVERED = ['accepted', 'duplicate'];
/** The network takes no answer before the person writes again: the agent is told so, and nothing of the answer was sent. */
const WINDOW_CLOSED = ['reply_window', 'reply_window_closed'];

export interface LineOptions {
  /** Whether the agent answers messages in every way an agent may, instead of accepting them. */
  readonly flaky: boolean;
  /** Port the agent connects to instead of the host's own. */
  readonly port?: () => number;
}

/** What became of everything that was said on one line. */
export interface LineResult {
  readonly inbound: number;
  readonly answers: number;
  readonly parts: number;
  readonly lost: string[];
  readonly doubled: string[];
  readonly inDoubt: number;
  readonly refused: number;
  readonly faults: string[];
}

/** One conversation: a person on a network, the host between, and an agent that forgets nothing. */
export class Line {
  readonly network: Network;
  readonly answers: Answers;
  readonly said: string[] = [];
  /** Whether the agent is connected to the host, as far as it knows. */
  agent: SpecAgent | undefined;
  /** Packets against the protocol, over all lives of the agent. */
  readonly faults: string[] = [];
  readonly #memory = new AgentMemory();
  /** Labels by message id, as they were first received. */
  readonly #labels = new Map<string, string>();
  readonly #wrongFiles: string[] = [];
  readonly #random: Random;
  readonly #options: LineOptions;
  readonly #prefix: string;
  #channel = '';
  #connectorId = '';
  #downloads: Promise<void>[] = [];

  constructor(network: Network, random: Random, options: LineOptions) {
    this.network = network;
    this.#random = random;
    this.#options = options;
    this.#prefix = network.rig.name.charAt(0);
    this.answers = new Answers(`${this.#prefix}a`, random.fork());
  }

  get channel(): string {
    return this.#channel;
  }

  /** Signs the account in, and has the person open the conversation, as some networks ask for. */
  async begin(host: HostProcess): Promise<void> {
    const { rig } = this.network;
    const agent = await this.#connect(host);
    this.#connectorId = agent.connectorId;
    this.#channel = (await agent.open()).channel;
    await rig.signIn(agent, this.#channel);
    await agent.untilStatus(this.#channel, 'connected');
    await this.says();
    await agent.messages.next(() => true, 'the first message', { ms: 30_000 });
  }

  /** The person writes their next numbered message. */
  async says(): Promise<void> {
    const label = `${this.#prefix}i${this.said.length}`;
    this.said.push(label);
    if (this.#random.chance(0.1)) await this.network.saysWithFile(label);
    else await this.network.rig.personSays(label);
  }

  /** The agent comes back, with what it remembers, and repeats what has no verdict. Quiet when the host is gone meanwhile. */
  async resume(host: HostProcess): Promise<void> {
    try {
      const agent = await this.#connect(host);
      await agent.open(this.#channel);
      await this.answers.push(agent, this.#channel);
    } catch {
      this.leave();
    }
  }

  /** Notes what the agent was told, and that it is gone. */
  leave(): void {
    const { agent } = this;
    if (!agent) return;
    this.note();
    this.faults.push(...agent.faults);
    this.agent = undefined;
    agent.crash();
  }

  note(): void {
    if (this.agent) this.answers.collect(this.agent);
  }

  /** Fills up what is under way, and goes on with it. */
  async goOn(): Promise<void> {
    const { hasReplyWindow, openAnswers } = this.network;
    if (hasReplyWindow && this.#random.chance(0.5)) await this.says();
    while (this.answers.open.length < openAnswers) this.answers.begin();
    await this.repeat();
  }

  async repeat(): Promise<void> {
    if (this.agent?.isOpen === true) await this.answers.push(this.agent, this.#channel).catch(() => undefined);
  }

  /** Whether nothing is under way any more. */
  get isSettled(): boolean {
    return this.answers.open.length === 0 && this.#memory.accepted.size >= this.said.length;
  }

  get missing(): string {
    return `${this.network.rig.name}: ${this.answers.open.length} answers and ${this.said.length - this.#memory.accepted.size} messages`;
  }

  async result(): Promise<LineResult> {
    await Promise.all(this.#downloads);
    const { lost, doubled } = this.#inbound();
    const shown = (await this.network.rig.visible()).join('\n');
    const marks = tally(shown.match(/\b\wa\d+-\d+;/g) ?? []);
    const files = tally(this.network.filesShown());
    const { hasReplyWindow } = this.network;
    let refused = 0;
    for (const answer of this.answers.all) {
      const isWhole = DELIVERED.includes(answer.outcome ?? '');
      for (const [of, seen] of [
        [answer.marks, marks],
        [answer.fileNames, files],
      ] as const) {
        for (const mark of of) {
          const count = seen.get(mark) ?? 0;
          if (count > 1) doubled.push(mark);
          if (count === 0 && isWhole) lost.push(mark);
        }
      }
      if (hasReplyWindow && WINDOW_CLOSED.includes(answer.outcome ?? '')) refused += 1;
      else if (!isWhole && answer.outcome !== IN_DOUBT)
        lost.push(`${answer.messageId} (${answer.outcome ?? 'no verdict'})`);
    }
    const parts = this.answers.all.reduce(
      (sum, { fileNames, marks: { length } }) => sum + fileNames.length + length,
      0,
    );
    return {
      inbound: this.said.length,
      answers: this.answers.all.length,
      parts,
      lost: [...lost, ...this.#wrongFiles],
      doubled,
      inDoubt: this.answers.all.filter(({ outcome }) => outcome === IN_DOUBT).length,
      refused,
      faults: this.faults,
    };
  }

  /** What `/status` says about answers in doubt. */
  async inDoubtShown(host: HostProcess): Promise<number> {
    return counterOf(host, this.network.rig.cardId, this.#channel, 'in_doubt');
  }

  #inbound(): { lost: string[]; doubled: string[] } {
    const received = [...this.#memory.accepted].map((messageId) => this.#labels.get(messageId) ?? messageId);
    const counts = tally(received);
    const lost = this.said.filter((label) => !counts.has(label));
    const doubled = [...counts].filter(([, count]) => count > 1).map(([label]) => label);
    const inOrder = received.join() === this.said.join();
    if (this.network.keepsOrder && !inOrder && lost.length + doubled.length === 0) lost.push('the order of messages');
    return { lost, doubled };
  }

  async #connect(host: HostProcess): Promise<SpecAgent> {
    const base = new URL(host.base(this.network.rig.name));
    if (this.#options.port) base.port = String(this.#options.port());
    const agent = await SpecAgent.connect({
      baseUrl: base.href,
      apiKey: host.apiKey,
      connectorId: this.#connectorId,
      memory: this.#memory,
      ack: (message) => this.#ack(message),
    });
    this.agent = agent;
    return agent;
  }

  #ack(message: ReceivedMessage): AckBehaviour {
    const [file] = message.files;
    const label = message.text === '' ? String(file?.['filename']).replace(/\.txt$/, '') : message.text;
    const behaviour = this.#options.flaky ? this.#behaviour() : ({ kind: 'accept' } as const);
    this.#labels.set(message.messageId, label);
    const takes = behaviour.kind === 'accept' || behaviour.kind === 'twice';
    if (file && takes && !this.#memory.accepted.has(message.messageId)) this.#fetch(label, file);
    return behaviour;
  }

  /** The bytes behind a file must be its own; a host that dies meanwhile is asked no more. */
  #fetch(label: string, file: Record<string, unknown>): void {
    const { agent } = this;
    if (!agent) return;
    const check = async (): Promise<void> => {
      const bytes = await agent.files.download(file).catch(() => undefined);
      if (bytes && bytes.toString('utf8') !== contentOf(label)) this.#wrongFiles.push(`the file of ${label}`);
    };
    this.#downloads.push(check());
  }

  #behaviour(): AckBehaviour {
    return this.#random.weighted<AckBehaviour>([
      [{ kind: 'accept' }, 80],
      [{ kind: 'twice' }, 4],
      [{ kind: 'silent' }, 5],
      [{ kind: 'reject', retryable: true, code: 'busy' }, 5],
      [{ kind: 'disconnect' }, 3],
      [{ kind: 'wrong', wrong: 'reply_to' }, 1],
      [{ kind: 'wrong', wrong: 'message_id' }, 1],
      [{ kind: 'wrong', wrong: 'channel' }, 1],
    ]);
  }
}

function tally(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}
