import type { Clock } from '../../base/clock.js';
import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { TypingCapable } from '../target.js';
import type { Conversation } from './conversation.js';
import type { BotSession, IlinkClient } from './ilink-client.js';
import { TypingStatus } from './wire.js';

/** The phone shows typing for a few seconds; it is repeated this often. Milliseconds. */
const KEEP_ALIVE_MS = 5_000;
/** A ticket is reported to live from ten minutes to a day; the shorter is safe. Milliseconds. */
const TICKET_LIFE_MS = 600_000;
/** After a failed ticket call the next is asked for not before this; doubles to the maximum. Milliseconds. */
const TICKET_RETRY_MS = 2_000;
const TICKET_RETRY_MAX_MS = 3_600_000;

export interface TypingParts {
  readonly client: IlinkClient;
  readonly bot: BotSession;
  readonly userId: string;
  readonly conversation: Conversation;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Typing by ticket. Whatever fails here stays here. */
export class Typing implements TypingCapable {
  readonly keepAliveMs = KEEP_ALIVE_MS;
  readonly #parts: TypingParts;
  #ticket: { readonly value: string; readonly until: number } | undefined;
  #notBefore = 0;
  #failures = 0;
  #shown = false;
  readonly #closed = new AbortController();

  constructor(parts: TypingParts) {
    this.#parts = parts;
  }

  async show(): Promise<void> {
    // Before the person's first message there is no conversation to type in.
    if (this.#parts.conversation.contextToken === undefined) return;
    if (await this.#send(TypingStatus.typing)) this.#shown = true;
  }

  /** An indicator that stays would be worse than a second call: a refused cancel is tried once more with a fresh ticket. */
  async clear(): Promise<void> {
    if (!this.#shown) return;
    this.#shown = false;
    if (!(await this.#send(TypingStatus.cancel))) await this.#send(TypingStatus.cancel);
  }

  close(): void {
    this.#closed.abort(new Error('closed'));
  }

  async #send(status: 1 | 2): Promise<boolean> {
    const { client, bot, userId, log } = this.#parts;
    try {
      const ticket = await this.#currentTicket();
      if (ticket === undefined) return false;
      await client.sendTyping(bot, userId, ticket, status, this.#closed.signal);
      return true;
    } catch (error) {
      this.#ticket = undefined;
      log.debug({ error: describeError(error) }, 'typing was not shown');
      return false;
    }
  }

  async #currentTicket(): Promise<string | undefined> {
    const { client, bot, userId, conversation, clock } = this.#parts;
    const now = clock.monotonic();
    if (this.#ticket && now < this.#ticket.until) return this.#ticket.value;
    if (now < this.#notBefore) return undefined;
    try {
      const value = await client.getConfig(bot, userId, conversation.contextToken, this.#closed.signal);
      this.#failures = 0;
      this.#ticket = value === undefined ? undefined : { value, until: now + TICKET_LIFE_MS };
      return value;
    } catch (error) {
      this.#failures += 1;
      this.#notBefore = now + Math.min(TICKET_RETRY_MS * 2 ** (this.#failures - 1), TICKET_RETRY_MAX_MS);
      throw error;
    }
  }
}
