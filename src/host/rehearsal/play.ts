import type { LocalChat, LocalMessage } from '../../targets/local/index.js';
import type { PlayedAgent } from './played-agent.js';
import { PASS_HEADER, type Stage } from './stage.js';
import { StepFailure } from './step-failure.js';

/** What a rehearsal has to do with of the host. */
export interface PlayParts {
  readonly stage: Stage;
  /** Where the server listens; undefined while its port is taken, and then nothing is sent to whoever has it. */
  readonly url: () => string | undefined;
  /** The API key; undefined while the secret store is not ready. It goes into requests to our own server and nowhere else. */
  readonly key: () => string | undefined;
  /** Path prefix and card id of every network that is switched on. */
  readonly connectors: readonly { readonly name: string; readonly cardId: string }[];
  /** Whether sign-ins can be kept. */
  readonly secretsReady: () => boolean;
  readonly paused: () => boolean;
}

/** One rehearsal under way: what its steps hand to the next. */
export class Play {
  /** Once it said hello. */
  agent: PlayedAgent | undefined;
  /** Empty until a channel is signed in. */
  channelId = '';
  accountId = '';
  /** The message id of the answer that is repeated afterwards. */
  answerId = '';

  constructor(
    readonly parts: PlayParts,
    private readonly pass: string,
  ) {}

  /** @throws StepFailure `port_taken` */
  get url(): string {
    const url = this.parts.url();
    if (url === undefined) throw new StepFailure('port_taken');
    return url;
  }

  /** @throws StepFailure `key_unavailable` */
  get key(): string {
    const key = this.parts.key();
    if (key === undefined) throw new StepFailure('key_unavailable');
    return key;
  }

  get chat(): LocalChat {
    return this.parts.stage.chat;
  }

  /** Where the stage is served. */
  get stageUrl(): string {
    return `${this.url}/${this.parts.stage.connector.name}`;
  }

  get passHeader(): Readonly<Record<string, string>> {
    return { [PASS_HEADER]: this.pass };
  }

  get agentHeaders(): Readonly<Record<string, string>> {
    return { ...this.passHeader, authorization: `Bearer ${this.key}` };
  }

  /** @throws StepFailure `connection_lost` when there is no agent on the stage */
  get played(): PlayedAgent {
    if (this.agent === undefined) throw new StepFailure('connection_lost');
    return this.agent;
  }

  /** What the chat shows now. */
  shown(): readonly LocalMessage[] {
    return this.chat.read(this.accountId, 0).messages;
  }

  /** Resolves once the chat shows what is looked for; ends with the step. */
  async untilShown(look: (messages: readonly LocalMessage[]) => boolean, signal: AbortSignal): Promise<void> {
    if (look(this.shown())) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        off();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const off = this.chat.onChange((accountId) => {
        if (accountId === this.accountId && look(this.shown())) done();
      });
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

/** One step; it rejects with StepFailure, and `signal` ends it when its time is over or the person stops. */
export type Step = (play: Play, signal: AbortSignal) => Promise<void>;
