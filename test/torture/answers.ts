import type { SpecAgent } from '../support/spec-agent.js';
import type { Random } from './random.js';

/** Lines of a long answer: more than one message holds on any of the networks. */
const LONG_LINES = 60;
const LINE_FILL =
  ' lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et';

export interface Answer {
  readonly number: number;
  readonly messageId: string;
  readonly text: string;
  /** Marks that a person must see once each. */
  readonly marks: readonly string[];
  readonly fileNames: readonly string[];
  files: { type: unknown; file_ref: unknown }[] | undefined;
  /** The final verdict: `accepted`, `duplicate`, or the code of a rejection for good. */
  outcome: string | undefined;
}

/** Everything one agent answers on one channel, each repeated until its verdict is final. */
export class Answers {
  readonly all: Answer[] = [];
  readonly #prefix: string;
  readonly #random: Random;

  constructor(prefix: string, random: Random) {
    this.#prefix = prefix;
    this.#random = random;
  }

  get open(): Answer[] {
    return this.all.filter(({ outcome }) => outcome === undefined);
  }

  /** Some are long, some carry files. */
  begin(): void {
    const number = this.all.length;
    const lines = this.#random.chance(0.2) ? LONG_LINES : 1;
    const files = this.#random.weighted([
      [0, 7],
      [1, 2],
      [2, 1],
    ]);
    const marks = Array.from({ length: lines }, (_, line) => `${this.#prefix}${number}-${line};`);
    this.all.push({
      number,
      messageId: `${this.#prefix}_${number}`,
      text: marks.map((mark) => (lines === 1 ? mark : mark + LINE_FILL)).join('\n'),
      marks,
      fileNames: Array.from({ length: files }, (_, file) => `${this.#prefix}${number}-file${file}.txt`),
      files: files === 0 ? [] : undefined,
      outcome: undefined,
    });
  }

  /** Sends or repeats what has no final verdict yet; uploads come first. Gives up silently when the host dies. */
  async push(agent: SpecAgent, channel: string): Promise<void> {
    for (const answer of this.open) {
      answer.files ??= await upload(agent, channel, answer.fileNames);
      if (!answer.files || !agent.isOpen) return;
      agent.transmit(channel, answer.text, {
        messageId: answer.messageId,
        ...(answer.files.length > 0 ? { files: answer.files } : {}),
      });
    }
  }

  /** Reads verdicts from what an agent received. */
  collect(agent: SpecAgent): void {
    const byId = new Map(this.open.map((answer) => [answer.messageId, answer]));
    for (const packet of agent.received.entries) {
      if (packet.type !== 'chat.message.ack') continue;
      const answer = byId.get(String(packet.payload?.['message_id']));
      const { status, code, retryable } = packet.payload ?? {};
      if (!answer || (status === 'rejected' && retryable === true)) continue;
      answer.outcome = String(status === 'rejected' ? code : status);
    }
  }
}

async function upload(agent: SpecAgent, channel: string, names: readonly string[]): Promise<Answer['files']> {
  try {
    const files = [];
    for (const filename of names) {
      const stored = await agent.files.upload(channel, { filename, content: `bytes of ${filename}` });
      files.push({ type: stored['file_type'], file_ref: stored['file_ref'] });
    }
    return files;
  } catch {
    return undefined;
  }
}
