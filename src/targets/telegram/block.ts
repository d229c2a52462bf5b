import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Intake } from '../target.js';
import { storedNumber } from './stored-number.js';

/**
 * Since when a chat does not let the bot write to it, kept with the bot's state: Telegram tells of a block once, and whoever
 * starts after that would look well until the next answer is refused.
 */
export class StoredBlock {
  readonly #intake: Intake;
  readonly #consumer: string;
  readonly #log: Logger;

  /** @param consumer the bot's */
  constructor(intake: Intake, consumer: string, log: Logger) {
    this.#intake = intake;
    this.#consumer = consumer;
    this.#log = log;
  }

  /** Unix ms; undefined for a chat that is not known to block the bot. */
  of(chatId: number): number | undefined {
    return storedNumber(this.#intake, this.#consumer, keyOf(chatId));
  }

  /** Best effort: nothing of a message depends on it. @param since Unix ms; undefined when there is no block any more */
  note(chatId: number, since: number | undefined): void {
    const state = { [keyOf(chatId)]: since === undefined ? null : String(since) };
    this.#intake.commit({ consumer: this.#consumer, state, messages: [] }).catch((error: unknown) => {
      this.#log.info({ error: describeError(error) }, 'whether a chat blocks the bot could not be stored');
    });
  }
}

function keyOf(chatId: number): string {
  return `blocked/${String(chatId)}`;
}
