import { randomUUID } from 'node:crypto';
import { wallTime, type Clock } from '../base/clock.js';
import { describeError, TransportError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { Serial } from '../base/serial.js';
import type { ServedAccount } from '../connector/agent-server-port.js';
import type { Delivery, OfferedMessage, PendingFacts, Verdict } from '../delivery/delivery.js';
import type { JsonObject } from '../e2a/index.js';
import type { Sql, Store } from '../store/index.js';
import type { AgentServerCounter, AgentServerOptions, LinkCode } from './agent-server.js';
import type { AnswerFiles } from './answer-files.js';
import { chatSend, requestIdOf } from './envelopes.js';
import type { InboundFiles } from './inbound-files.js';
import { cancelAtServer } from './interrupt.js';
import type { NewAnswer, Outbox } from './outbox.js';
import { objectsAt, textOf, WARMING } from './pieces.js';
import { answerParams, askText, isAnswered, readQuestion, reply } from './question.js';
import { endRun, hasBegun, putRun, putRunAnswer } from './records.js';
import type { LostBy, Requests } from './requests.js';
import { Run, type RunEnd } from './run.js';
import { SessionRecord } from './session-record.js';
import { languageOf, plainName, say, type Language } from './words.js';

/** The link's code for a request that no server takes. */
const TOO_LARGE: LinkCode = 'agent_server_frame_too_large';
/**
 * What a message ends with that the server has not begun, by how its request was lost; it is offered again without one. Where a frame
 * was too large, the same would happen again: each time the connection would go, and perhaps the agent had done the work.
 */
const GIVEN_UP: Readonly<Record<LostBy, string | undefined>> = {
  connection_lost: undefined,
  silent: 'agent_server_silent',
  frame_too_large: TOO_LARGE,
};
/** Pending messages that are looked through for one that came after a run began. */
const LOOK_AHEAD = 20;
/** In a group, Telegram adds the bot's name. */
const STOP = /^\/stop(@\w+)?$/i;

export interface ConversationDeps {
  readonly requests: Requests;
  readonly delivery: Pick<Delivery, 'acknowledge' | 'delta' | 'activity' | 'pending'>;
  readonly outbox: Outbox;
  readonly answerFiles: AnswerFiles;
  readonly inboundFiles: InboundFiles;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: Pick<AgentServerOptions, 'mode' | 'pendingTtlMs'>;
  readonly count: (counter: AgentServerCounter) => void;
  /** An id of this conversation, under which the server may push something later. */
  readonly known: (id: string) => void;
}

/** One conversation of one account: one session at the server, what runs in it, and the question it has open. */
export class Conversation {
  readonly account: ServedAccount;
  readonly #deps: ConversationDeps;
  readonly #record: SessionRecord;
  readonly #runs = new Set<Run>();
  /** When the begin of a run is on disk; its end is written after it. */
  readonly #stored = new WeakMap<Run, Promise<void>>();
  /** When what is left of an ended run is on its way to the person; what comes after it is told after it. */
  readonly #closings = new WeakMap<Run, Promise<void>>();
  #language: Language = 'en';
  /** One message is sent at a time; an offer that is repeated waits for the first. */
  readonly #turns = new Serial();
  /** Ends the wait of a message for what runs. */
  #wake: (() => void) | undefined;
  /** The last `/stop` that was obeyed, perhaps before it was offered. */
  #obeyed: string | undefined;
  /** Raised when the account goes elsewhere: what was on its way is not sent any more. */
  #generation = 0;
  #isForgotten = false;

  constructor(account: ServedAccount, conversationId: string, deps: ConversationDeps) {
    this.account = account;
    this.#deps = deps;
    this.#record = new SessionRecord(deps.store, deps.log, account.accountId, conversationId);
  }

  /** @see Upstream.transmit */
  transmit(message: OfferedMessage): Promise<'sent' | 'done'> {
    const generation = this.#generation;
    return this.#turns.run(() => this.#transmit(message, generation));
  }

  /** Looks at what waits behind the message that is under way: a newer message interrupts, `/stop` stops. */
  lookAhead(): void {
    const newer = this.#newer();
    const stop = newer.find(({ preview }) => STOP.test(preview.trim()));
    if (stop) void this.#stop(stop.messageId);
    else if (newer.length > 0) this.#wake?.();
  }

  /** Something the server sends by itself, for this conversation. */
  async pushed(requestId: string, payload: JsonObject): Promise<void> {
    const run = [...this.#runs].find((candidate) => candidate.requestId === requestId);
    const content = textOf(payload['content']).trim();
    switch (payload['event_type']) {
      case 'chat.file':
      case 'chat.media':
        if (run) run.addFiles(objectsAt(payload, 'files'));
        else await this.#sendFiles(objectsAt(payload, 'files'));
        break;
      case 'chat.ask_user_question':
        await this.#ask(payload, run);
        break;
      case 'plan.approval_required':
        await this.#tellPlan(payload);
        break;
      case 'chat.final':
      case 'proactive_recommendation':
      case 'heartbeat.relay':
        if (content !== '') await this.#tell(content);
        break;
      default:
        this.#deps.log.debug('a push of the AgentServer that no chat can show');
    }
  }

  /** The account delivers elsewhere: a request that the server has not begun is taken back, the others are left to end. */
  leave(): void {
    this.#generation += 1;
    this.#wake?.();
    const runs = [...this.#runs];
    if (runs.every((run) => run.hasBegun)) return;
    void this.#cancelAtServer();
    for (const run of runs) {
      // The server cancels the whole session, and gives a cancelled stream no end: it is ended here.
      if (run.hasBegun) run.end({ kind: 'interrupted' });
      else this.#drop(run);
    }
  }

  /** The account ended. */
  forget(): void {
    this.#isForgotten = true;
    this.leave();
    if (this.#runs.size > 0) void this.#cancelAtServer();
    for (const run of this.#runs) this.#drop(run);
  }

  // ---------------------------------------------------------------- from the person

  async #transmit(message: OfferedMessage, generation: number): Promise<'sent' | 'done'> {
    const requestId = requestIdOf(this.account.accountId, message.messageId);
    // Offered again while it is at work, or because the program ended before it was off the queue.
    if (this.#deps.requests.has(requestId)) return 'sent';
    if (hasBegun(this.#deps.store.sql, requestId)) return 'done';
    // The person's own words: notes about files are ours.
    const words = message.message.text.trim();
    if (words !== '') this.#language = languageOf(words);
    if (STOP.test(words)) {
      await this.#stop(message.messageId);
      return 'done';
    }
    const { question } = this.#record;
    if (question?.lastReply === message.messageId) return 'done';
    if (!question || words === '') {
      await this.#makeRoom(message);
      const params = await this.#paramsOf(message);
      await this.#begin(requestId, message, params, generation);
      return 'sent';
    }
    const answered = reply(question, words, message.messageId);
    if (isAnswered(answered)) {
      // Nothing is interrupted: what runs may be waiting for just this.
      await this.#begin(requestId, message, answerParams(answered), generation);
      return 'sent';
    }
    await this.#tell(askText(answered, this.#language), `${requestId}:ask`, this.#record.ask(answered));
    return 'done';
  }

  async #paramsOf(message: OfferedMessage): Promise<JsonObject> {
    const { given, missing } = await this.#deps.inboundFiles.handOver(message);
    const notes = missing.map((name) => say('file_not_handed', this.#language, plainName(name)));
    const text = [message.text, ...notes].filter((line) => line !== '').join('\n');
    return { content: text, query: text, ...(given.length === 0 ? {} : { files: given }) };
  }

  async #begin(requestId: string, message: OfferedMessage, params: JsonObject, generation: number): Promise<void> {
    const { requests, clock, options } = this.#deps;
    const sessionId = await this.#record.ensure();
    if (generation !== this.#generation) {
      throw new TransportError('agent_server_left', 'the account delivers elsewhere now', { effect: 'none' });
    }
    const isAnswer = Object.hasOwn(params, 'answers');
    const run: Run = new Run({
      ...this.#deps,
      requestId,
      account: this.account,
      messageId: message.messageId,
      language: this.#language,
      events: {
        begun: () => void this.#stored.set(run, this.#begun(run, isAnswer)),
        question: (payload) => void this.#ask(payload, run),
        plan: (payload) => void this.#tellPlan(payload),
        ended: (end) => void this.#closings.set(run, this.#ended(run, end)),
      },
    });
    const to = { requestId, account: this.account, sessionId, at: clock.now() };
    try {
      requests.ask(requestId, chatSend(to, message, { ...params, mode: options.mode }), run);
    } catch (error) {
      if (!(error instanceof TransportError) || error.code !== TOO_LARGE) throw error;
      // It never gets smaller: it would only hold up what comes after it.
      this.#acknowledge(run, { status: 'rejected', code: 'message_too_large', retryable: false });
      await this.#tell(say('message_too_large', this.#language), run.answerId);
      return;
    }
    this.#runs.add(run);
    this.#deps.known(sessionId);
    this.#deps.known(requestId);
  }

  /** A message that came after what runs began goes before it; one that was waiting by then waits its turn. */
  async #makeRoom(message: OfferedMessage): Promise<void> {
    while (this.#runs.size > 0 && !this.#isForgotten) {
      if (message.receivedAt > this.#newestStart() || this.#newer().length > 0) {
        await this.#interrupt();
        return;
      }
      const generation = this.#generation;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
      if (generation !== this.#generation) return;
    }
  }

  #newestStart(): number {
    return wallTime(this.#deps.clock, Math.max(...[...this.#runs].map((run) => run.startedAt)));
  }

  /** Pending messages that came after what runs began. */
  #newer(): readonly PendingFacts[] {
    if (this.#runs.size === 0) return [];
    const since = this.#newestStart();
    const own = new Set([...this.#runs].map((run) => run.messageId));
    const pending = this.#deps.delivery.pending(this.account.accountId, LOOK_AHEAD);
    return pending.filter(({ receivedAt, messageId }) => receivedAt > since && !own.has(messageId));
  }

  async #stop(messageId: string): Promise<void> {
    if (this.#obeyed === messageId) return;
    this.#obeyed = messageId;
    const had = this.#runs.size > 0 || this.#record.question !== undefined;
    const drop = this.#record.question && this.#record.ask(undefined);
    await this.#interrupt('stopped_by_person');
    const answerId = `${requestIdOf(this.account.accountId, messageId)}:stop`;
    await this.#tell(say(had ? 'stopped' : 'nothing_runs', this.#language), answerId, drop);
  }

  /**
   * Ends everything that runs. A cancelled stream has no end of its own, so it is ended here once the server has confirmed.
   * @param refusal what a message that the server has not begun ends with; it stays pending without one
   */
  async #interrupt(refusal?: string): Promise<void> {
    const runs = [...this.#runs];
    if (runs.length === 0) return;
    await this.#cancelAtServer();
    for (const run of runs) {
      if (run.outcome === undefined && !run.hasBegun && refusal !== undefined) {
        this.#acknowledge(run, { status: 'rejected', code: refusal, retryable: false });
      }
      run.end({ kind: 'interrupted' });
    }
    await Promise.all(runs.flatMap((run) => this.#closings.get(run) ?? []));
  }

  async #cancelAtServer(): Promise<void> {
    const { id: sessionId } = this.#record;
    if (sessionId === undefined) return;
    await cancelAtServer(this.#deps, { account: this.account, sessionId }, this.#deps.options.mode);
  }

  // ---------------------------------------------------------------- from the server

  /** The server has the request: from here on it is never sent again, and the message leaves the queue. */
  async #begun(run: Run, isAnswer: boolean): Promise<void> {
    const { store, clock, log } = this.#deps;
    const answered = isAnswer ? this.#record.ask(undefined) : undefined;
    const { requestId, answerId, language } = run;
    const { accountId } = this.account;
    try {
      await store.write((sql) => {
        putRun(sql, { requestId, accountId, answerId, language }, clock.steady());
        answered?.(sql);
      });
    } catch (error) {
      log.warn({ error: describeError(error) }, 'the begin of a request could not be stored');
    }
    this.#acknowledge(run, { status: 'accepted' });
  }

  async #ended(run: Run, end: RunEnd): Promise<void> {
    const { requests, count } = this.#deps;
    requests.finish(run.requestId);
    this.#runs.delete(run);
    this.#wake?.();
    if (end.kind === 'failed' && end.errorType === WARMING && !run.hasBegun) {
      // The server said that it has not begun: the message is offered again after the usual wait.
      this.#acknowledge(run, { status: 'rejected', code: 'agent_server_warming', retryable: true });
      return;
    }
    const dropped = this.#dropQuestion(run, end);
    const givenUp = end.kind === 'lost' ? GIVEN_UP[end.by] : undefined;
    if (!run.hasBegun && givenUp === undefined) return; // Pending still: it is offered again when there is a connection.
    if (!run.hasBegun && givenUp !== undefined) {
      this.#acknowledge(run, { status: 'rejected', code: givenUp, retryable: false });
    }
    if (end.kind === 'lost' && end.by === 'silent') void this.#cancelAtServer();
    count(end.kind);
    await this.#stored.get(run);
    await this.#close(run, end, dropped);
  }

  /** A question ends with the request that waits for its answer: what the person writes next is no answer to anything. */
  #dropQuestion(run: Run, end: RunEnd): ((sql: Sql) => void) | undefined {
    const isOpen = end.kind !== 'answered' && this.#record.question?.askedBy === run.requestId;
    return isOpen ? this.#record.ask(undefined) : undefined;
  }

  async #close(run: Run, end: RunEnd, also?: (sql: Sql) => void): Promise<void> {
    const { store, clock, log, options } = this.#deps;
    const { answerId } = run;
    const { text, fileRefs } = await run.closing(end);
    const now = clock.steady();
    const over = (sql: Sql): void => {
      endRun(sql, run.requestId, now, now - options.pendingTtlMs);
      also?.(sql);
    };
    if (text !== '' || fileRefs.length > 0) {
      await this.#add({ answerId, text, fileRefs }, over);
      return;
    }
    await store.write(over).catch((error: unknown) => {
      log.warn({ error: describeError(error) }, 'the end of a request could not be stored');
    });
  }

  /** A question is put to the person at once; what was said before it goes with it. */
  async #ask(payload: JsonObject, run: Run | undefined): Promise<void> {
    const question = readQuestion(payload, run?.requestId);
    if (!question) {
      this.#deps.log.warn('the agent asked something that can not be put to a person');
      return;
    }
    this.#deps.count('asked');
    const answerId = run?.answerId ?? `ask_${randomUUID()}`;
    const said = run?.cut() ?? '';
    const text = [said, askText(question, this.#language)].filter((part) => part.trim() !== '').join('\n\n');
    // Before anything is waited for: an end of the run that comes meanwhile closes it.
    const open = this.#record.ask(question);
    if (run) await this.#stored.get(run);
    await this.#add({ answerId, text }, (sql) => {
      open(sql);
      if (run) putRunAnswer(sql, run.requestId, run.answerId);
    });
  }

  // ---------------------------------------------------------------- small parts

  async #sendFiles(items: readonly JsonObject[]): Promise<void> {
    const files = await this.#deps.answerFiles.take(this.account, items);
    const missing = files.filter(({ fileRef }) => fileRef === undefined);
    const text = missing.map(({ name }) => say('file_missing', this.#language, name)).join('\n');
    const fileRefs = files.flatMap(({ fileRef }) => fileRef ?? []);
    if (files.length > 0) await this.#add({ answerId: `push_${randomUUID()}`, text, fileRefs });
  }

  #tellPlan(payload: JsonObject): Promise<void> {
    return this.#tell(`${textOf(payload['plan_content'])}\n\n${say('plan', this.#language)}`.trim());
  }

  #tell(text: string, answerId = `push_${randomUUID()}`, also?: (sql: Sql) => void): Promise<void> {
    return this.#add({ answerId, text }, also);
  }

  async #add(answer: Omit<NewAnswer, 'accountId'>, also?: (sql: Sql) => void): Promise<void> {
    if (this.#isForgotten) return;
    const { accountId } = this.account;
    await this.#deps.outbox.add({ accountId, language: this.#language, ...answer }, also);
  }

  #acknowledge(run: Run, verdict: Verdict): void {
    this.#deps.delivery.acknowledge(this.account.accountId, run.messageId, verdict);
  }

  #drop(run: Run): void {
    this.#deps.requests.finish(run.requestId);
    this.#runs.delete(run);
  }
}
