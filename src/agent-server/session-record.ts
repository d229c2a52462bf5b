import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Store } from '../store/index.js';
import type { Question } from './question.js';
import { ensureSession, findSession, putQuestion } from './records.js';

/** What is durable of a conversation: its session at the server, and the question that is open. */
export class SessionRecord {
  readonly #store: Store;
  readonly #log: Logger;
  readonly #accountId: string;
  readonly #conversationId: string;
  #id: string | undefined;
  #question: Question | undefined;

  constructor(deps: { readonly store: Store; readonly log: Logger }, accountId: string, conversationId: string) {
    this.#store = deps.store;
    this.#log = deps.log;
    this.#accountId = accountId;
    this.#conversationId = conversationId;
    const row = findSession(deps.store.sql, accountId, conversationId);
    this.#id = row?.sessionId;
    this.#question = row?.question;
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

  /** The question is answered; whoever says so stores it with what follows from it. */
  answered(): void {
    this.#question = undefined;
  }

  /** Opens a question, or closes it. Never rejects: without a disk it is known until the program ends. */
  async ask(question: Question | undefined): Promise<void> {
    this.#question = question;
    try {
      const id = await this.ensure();
      await this.#store.write((sql) => putQuestion(sql, id, question));
    } catch (error) {
      this.#log.warn({ error: describeError(error) }, 'a question could not be stored');
    }
  }
}
