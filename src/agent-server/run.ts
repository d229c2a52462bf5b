import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Clock } from '../base/clock.js';
import type { ServedAccount } from '../connector/agent-server-port.js';
import type { Activity, Delivery, OutboundRoute } from '../delivery/delivery.js';
import type { JsonObject } from '../e2a/index.js';
import { answerChannelOf } from './agent-server.js';
import { Answer } from './answer.js';
import { MAX_FILES, type AnswerFile, type AnswerFiles } from './answer-files.js';
import type { Answered, Asker, LostBy } from './requests.js';
import { say, type Language } from './words.js';

/** How a run ended. `interrupted`: by the person, or by their next message. */
export type RunEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly errorType: string }
  | { readonly kind: 'lost'; readonly by: LostBy }
  | { readonly kind: 'interrupted' };

/** Everything a run tells the conversation it belongs to. */
export interface RunEvents {
  /** The first sign of life: the server has the request. */
  begun(): void;
  question(payload: JsonObject): void;
  plan(payload: JsonObject): void;
  /** Over, and nothing more will come of it. */
  ended(end: RunEnd): void;
}

export interface RunSetup {
  readonly requestId: string;
  readonly account: ServedAccount;
  readonly messageId: string;
  readonly language: Language;
  readonly delivery: Pick<Delivery, 'delta' | 'activity'>;
  readonly answerFiles: AnswerFiles;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: RunEvents;
}

const TOO_LARGE = 'response_too_large';

/** One request at work: what is heard of it goes to the chat as it comes, what is left is its answer. */
export class Run implements Asker {
  readonly requestId: string;
  readonly messageId: string;
  readonly language: Language;
  /** When it was sent, steady ms. */
  readonly startedAt: number;
  readonly #setup: RunSetup;
  readonly #route: OutboundRoute;
  readonly #files: Promise<AnswerFile[]>[] = [];
  #fileCount = 0;
  #answer = new Answer();
  #part = 0;
  #sequence = 0;
  #hasBegun = false;
  #outcome: RunEnd | undefined;
  #hasTold = false;
  #activity: Activity = { status: 'idle' };

  constructor(setup: RunSetup) {
    this.#setup = setup;
    this.requestId = setup.requestId;
    this.messageId = setup.messageId;
    this.language = setup.language;
    this.startedAt = setup.clock.steady();
    const { accountId } = setup.account;
    this.#route = { channelId: answerChannelOf(accountId), accountId };
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** How it ended; undefined while it runs. */
  get outcome(): RunEnd | undefined {
    return this.#outcome;
  }

  /** The id of the answer that grows now. */
  get answerId(): string {
    return `${this.requestId}:${String(this.#part)}`;
  }

  alive(): void {
    if (this.#outcome) return;
    this.#begin();
    // Whatever was shown last still goes on: without this a long tool would look like silence.
    if (this.#activity.status !== 'idle') this.#setup.delivery.activity(this.#route, this.#activity);
  }

  answered(piece: Answered): void {
    if (this.#outcome) return;
    if (piece.kind === 'failure') {
      this.end({ kind: 'failed', errorType: piece.errorType });
      return;
    }
    this.#take(piece.payload);
    if (!piece.isFinal) return;
    const { failure } = this.#answer;
    this.end(failure === undefined ? { kind: 'answered' } : { kind: 'failed', errorType: failure });
  }

  lost(by: LostBy): void {
    this.end({ kind: 'lost', by });
  }

  /** Files that the server sends beside the answer, by itself. */
  addFiles(items: readonly JsonObject[]): void {
    const most = MAX_FILES - this.#fileCount;
    this.#fileCount += Math.min(items.length, most);
    this.#files.push(this.#setup.answerFiles.take(this.#setup.account, items, most));
  }

  end(end: RunEnd): void {
    if (this.#outcome) return;
    this.#outcome = end;
    this.#show({ status: 'idle' });
    this.#setup.events.ended(end);
  }

  /** What was told so far is an answer of its own; what follows is the next. @returns its text */
  cut(): string {
    const { text } = this.#answer;
    this.#answer = new Answer();
    this.#part += 1;
    this.#sequence = 0;
    this.#hasTold = true;
    return text;
  }

  /** The person's words for how it ended, with what of the answer is there; empty when there is nothing to say. */
  async closing(end: RunEnd): Promise<{ text: string; fileRefs: string[] }> {
    const files = (await Promise.all(this.#files)).flat();
    const notes = files
      .filter(({ fileRef }) => fileRef === undefined)
      .map(({ name }) => this.#say('file_missing', name));
    const fileRefs = files.flatMap(({ fileRef }) => fileRef ?? []);
    const said = [this.#answer.text, this.#verdictOn(end), ...notes].filter((line) => line.trim() !== '');
    if (said.length === 0 && fileRefs.length === 0 && end.kind === 'answered' && !this.#hasTold) {
      return { text: this.#say('empty'), fileRefs };
    }
    return { text: said.join('\n\n'), fileRefs };
  }

  #verdictOn(end: RunEnd): string {
    switch (end.kind) {
      case 'answered':
      case 'interrupted':
        return '';
      case 'failed':
        return end.errorType === TOO_LARGE ? this.#say('too_large') : this.#say('failed', end.errorType);
      case 'lost':
        return this.#say(end.by);
    }
  }

  #say(phrase: Parameters<typeof say>[0], detail?: string): string {
    return say(phrase, this.#setup.language, detail);
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#setup.events.begun();
  }

  #take(payload: JsonObject): void {
    const step = this.#answer.take(payload);
    const since = this.#setup.clock.now();
    switch (step.kind) {
      case 'text':
        this.#delta(step.text);
        break;
      case 'thinking':
        this.#show({ status: 'thinking', since });
        break;
      case 'tool':
        this.#show({ status: 'tool', toolName: step.name, since });
        break;
      case 'files':
        this.addFiles(step.files);
        break;
      case 'question':
        this.#setup.events.question(step.payload);
        break;
      case 'plan':
        this.#hasTold = true;
        this.#setup.events.plan(step.payload);
        break;
      case 'nothing':
        break;
    }
  }

  #delta(text: string): void {
    this.#sequence += 1;
    this.#activity = { status: 'idle' };
    try {
      this.#setup.delivery.delta(this.#route, this.answerId, this.#sequence, text);
    } catch (error) {
      this.#setup.log.warn({ error: describeError(error) }, 'a piece of an answer could not be shown');
    }
  }

  #show(activity: Activity): void {
    this.#activity = activity;
    this.#setup.delivery.activity(this.#route, activity);
  }
}
