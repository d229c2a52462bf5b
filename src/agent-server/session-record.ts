import type { Logger } from '../base/logger.js';
import type { Sql, Store } from '../store/index.js';
import type { Question } from './question.js';
import { ensureSession, findSession, putQuestion } from './records.js';

/** What is durable of a conversation: its session at the server, and the question that is open. */
export class SessionRecord {
  readonly #store: Store;
  readonly #accountId: string;
  readonly #conversationId: string;
  #id: string | undefined;
  #question: Question | undefined;

  constructor(store: Store, log: Logger, accountId: string, conversationId: string) {
    this.#store = store;
    this.#accountId = accountId;
    this.#conversationId = conversationId;
    const row = findSession(store.sql, accountId, conversationId);
    this.#id = row?.sessionId;
    this.#question = row?.question;
    // The person's next words go to the agent as a message: nothing of theirs is lost by it.
    if (row?.lostQuestion) log.error({ code: 'row_damaged', accountId, conversationId }, 'a question can not be read');
  }

  /** Undefined until the first message. */
  get id(): string | undefined {
    return this.#id;
  }

  get question(): Question | undefined {
    return this.#question;
  }

  /** The session id, which survives everything but a sign-out. @throws StoreError */
  async ensure(): Promise<string> {
    this.#id ??= (
      await this.#store.write((sql) => ensureSession(sql, this.#accountId, this.#conversationId))
    ).sessionId;
    return this.#id;
  }

  /**
   * Opens a question, or closes it.
   * @returns what stores it, for the transaction of what is told with it: a question that a crash left open without its words
   *   would take the person's next message for an answer
   */
  ask(question: Question | undefined): (sql: Sql) => void {
    this.#question = question;
    return (sql) => {
      // What was opened or closed since is stored by its own.
      if (this.#question !== question) return;
      putQuestion(sql, ensureSession(sql, this.#accountId, this.#conversationId).sessionId, question);
    };
  }
}
