import { describeError, TargetRefusal } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { parseJson } from '../../base/parse-json.js';
import { fieldsOf, textOf } from '../json-fields.js';
import type { Intake, TypingCapable } from '../target.js';
import type { FeishuApi } from './api.js';
import { isRefusal } from './errors.js';
import { LAST_MESSAGE } from './line.js';

/** Feishu has no typing for bots: this reaction on the person's message stands for it. */
const TYPING_EMOJI = 'Typing';
/** The reaction stays by itself; that often it is made sure that it is on the newest message. Milliseconds. */
const KEEP_ALIVE_MS = 10_000;
/** Where the reaction is, written before it is put there. */
const MARK = 'typing';

interface Mark {
  readonly messageId: string;
  /** Unknown when the program ended, or the line broke, while the reaction was put there. */
  readonly reactionId: string | undefined;
}

export interface TypingDeps {
  readonly api: FeishuApi;
  readonly intake: Intake;
  readonly consumer: string;
  readonly log: Logger;
}

/**
 * Typing as a reaction. Where it was put is on disk before it is, so that one that was left behind by a crash goes at the next
 * start. Whatever fails here stays here.
 */
export class Typing implements TypingCapable {
  readonly keepAliveMs = KEEP_ALIVE_MS;
  readonly #deps: TypingDeps;
  #isPermitted = true;
  #isWanted = false;
  /** One call after the other, so that what is put there late is still taken away. */
  #queue: Promise<void> = Promise.resolve();

  constructor(deps: TypingDeps) {
    this.#deps = deps;
  }

  show(): Promise<void> {
    this.#isWanted = true;
    return this.#run(async () => {
      const { api, intake, consumer } = this.#deps;
      const messageId = intake.state(consumer, LAST_MESSAGE);
      const mark = this.#mark();
      if (!this.#isWanted || !this.#isPermitted || messageId === undefined || mark?.messageId === messageId) return;
      if (mark) await this.#remove(mark);
      await this.#note({ messageId, reactionId: undefined });
      const reactionId = await this.#put(api, messageId);
      if (reactionId !== undefined) await this.#note({ messageId, reactionId });
    });
  }

  clear(): Promise<void> {
    this.#isWanted = false;
    return this.tidy();
  }

  /** Takes away what nobody wants any more, such as what an earlier run of the program left behind. */
  tidy(): Promise<void> {
    return this.#run(async () => {
      if (this.#isWanted) return;
      const mark = this.#mark();
      if (mark) await this.#remove(mark);
    });
  }

  #run(task: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(task).catch((error: unknown) => {
      this.#deps.log.debug({ error: describeError(error) }, 'the typing reaction was not changed');
    });
    return this.#queue;
  }

  async #put(api: FeishuApi, messageId: string): Promise<string | undefined> {
    try {
      return await api.react(messageId, TYPING_EMOJI);
    } catch (error) {
      // Refused, it surely is not there.
      if (isRefusal(error, 'permission_missing')) this.#isPermitted = false;
      if (isRefusal(error, 'permission_missing', 'message_gone')) await this.#note(undefined);
      throw error;
    }
  }

  /** Stays noted until the network says that it is gone. */
  async #remove({ messageId, reactionId }: Mark): Promise<void> {
    const { api } = this.#deps;
    try {
      const ids = reactionId === undefined ? await api.ownReactions(messageId, TYPING_EMOJI) : [reactionId];
      for (const id of ids) await api.unreact(messageId, id);
    } catch (error) {
      // Refused for good, there is nothing more to do about it.
      if (!(error instanceof TargetRefusal) || error.retryable) throw error;
    }
    await this.#note(undefined);
  }

  #mark(): Mark | undefined {
    const { intake, consumer } = this.#deps;
    const { messageId, reactionId } = fieldsOf(parseJson(intake.state(consumer, MARK) ?? ''));
    return typeof messageId === 'string' ? { messageId, reactionId: textOf(reactionId) } : undefined;
  }

  async #note(mark: Mark | undefined): Promise<void> {
    const { intake, consumer } = this.#deps;
    await intake.commit({ consumer, state: { [MARK]: mark ? JSON.stringify(mark) : null }, messages: [] });
  }
}
