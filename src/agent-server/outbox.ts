import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { Delivery } from '../delivery/delivery.js';
import type { FileStore } from '../files/file-store.js';
import { ErrorCode } from '../protocol/index.js';
import type { Sql, Store } from '../store/index.js';
import { answerChannelOf } from './agent-server.js';
import { allAnswers, deleteAnswer, putAnswer, type AnswerRow } from './records.js';
import { plainName, say, type Language } from './words.js';

/** Waits between two tries to deliver an answer. No agent stands behind it that would ask again. */
const RETRY: BackoffPolicy = { initialMs: 2_000, maxMs: 60_000 };
/** How long an answer is tried, milliseconds: after a day nobody waits for it. */
export const ANSWER_TTL_MS = 86_400_000;

export interface NewAnswer {
  readonly accountId: string;
  readonly answerId: string;
  readonly text: string;
  readonly fileRefs?: readonly string[];
  readonly language?: Language;
}

interface Lane {
  readonly answers: AnswerRow[];
  failures: number;
  busy: boolean;
  /** Raised with every reason to try: after a try that failed the next follows at once when there was one meanwhile. */
  kicks: number;
  retry: Timer | undefined;
}

export interface OutboxDeps {
  readonly delivery: Pick<Delivery, 'deliver'>;
  readonly store: Store;
  readonly files: Pick<FileStore, 'get' | 'keepUntil'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly changed: () => void;
}

/**
 * Answers on their way to the network, per account one after the other, in order: on disk before they are tried, and until
 * they are taken, refused for good, or a day old.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #lanes = new Map<string, Lane>();
  #closed = false;

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  get waiting(): number {
    return [...this.#lanes.values()].reduce((sum, { answers }) => sum + answers.length, 0);
  }

  /** Takes up what an earlier run left. */
  load(): void {
    for (const { isDamaged, ...answer } of allAnswers(this.#deps.store.sql)) {
      const { accountId, answerId: messageId } = answer;
      if (isDamaged) this.#deps.log.error({ code: 'row_damaged', accountId, messageId }, 'an answer can not be read');
      this.#laneOf(accountId).answers.push(answer);
    }
    for (const accountId of this.#lanes.keys()) this.kick(accountId);
  }

  /**
   * Takes an answer. Its text and each of its files are sent by themselves: a network refuses a message with all that is in it.
   * @param also written in the same transaction. Resolves when it is on disk, or the disk refused it.
   */
  async add(answer: NewAnswer, also: (sql: Sql) => void = () => undefined): Promise<void> {
    const { store, files, clock, log } = this.#deps;
    const { accountId, fileRefs = [] } = answer;
    const expiresAt = clock.steady() + ANSWER_TTL_MS;
    const rows = inParts(answer).map((part): AnswerRow => ({ ...part, expiresAt }));
    this.#laneOf(accountId).answers.push(...rows);
    this.#deps.changed();
    try {
      await store.write((sql) => {
        for (const row of rows) putAnswer(sql, row);
        also(sql);
      });
      // Their own time may be shorter, and nobody would offer them again.
      if (fileRefs.length > 0) await files.keepUntil(fileRefs, expiresAt);
    } catch (error) {
      // It is tried all the same: an answer that may be lost in a crash is better than none.
      log.warn({ accountId, error: describeError(error) }, 'an answer could not be stored');
    }
    this.kick(accountId);
  }

  /** Tries now what waits for this account. */
  kick(accountId: string): void {
    const lane = this.#lanes.get(accountId);
    if (!lane || this.#closed) return;
    lane.kicks += 1;
    if (lane.busy) return;
    lane.retry?.cancel();
    void this.#work(accountId, lane);
  }

  /** Drops what waits for an account that ended. */
  forget(accountId: string): void {
    const lane = this.#lanes.get(accountId);
    lane?.retry?.cancel();
    lane?.answers.splice(0);
    this.#lanes.delete(accountId);
    this.#deps.changed();
  }

  /** What waits stays on disk. */
  close(): void {
    this.#closed = true;
    for (const lane of this.#lanes.values()) lane.retry?.cancel();
  }

  async #work(accountId: string, lane: Lane): Promise<void> {
    lane.busy = true;
    try {
      for (let head = lane.answers[0]; head && !this.#closed; head = lane.answers[0]) {
        const { kicks } = lane;
        const isOver = await this.#deliver(head);
        if (lane.answers[0] !== head) continue;
        if (!isOver && lane.kicks !== kicks) continue;
        if (!isOver) {
          lane.failures += 1;
          const wait = backoffDelay(RETRY, lane.failures, this.#deps.random);
          lane.retry = this.#deps.clock.after(wait, () => this.kick(accountId));
          return;
        }
        lane.failures = 0;
        lane.answers.shift();
        this.#remove(head);
      }
    } finally {
      lane.busy = false;
      this.#deps.changed();
    }
  }

  /** @returns whether its journey is over */
  async #deliver(answer: AnswerRow): Promise<boolean> {
    const { delivery, files, clock, log } = this.#deps;
    const { accountId, answerId, text } = answer;
    const about = { accountId, messageId: answerId };
    if (answer.expiresAt <= clock.steady()) {
      log.warn(about, 'an answer was given up: the network did not take it for a day');
      return true;
    }
    const verdict = await delivery.deliver({
      channelId: answerChannelOf(accountId),
      accountId,
      kind: 'message',
      id: answerId,
      text,
      files: answer.fileRefs.flatMap((ref) => files.get(ref) ?? []),
    });
    // What delivery holds is on its own disk, and goes out from there.
    if (verdict.status !== 'rejected') return true;
    log.info({ ...about, code: verdict.code, retryable: verdict.retryable }, 'an answer was not delivered');
    if (!verdict.retryable && verdict.code !== ErrorCode.deliveryUnknown) await this.#tellOfFiles(answer);
    return !verdict.retryable;
  }

  /** No agent hears of it: its person is told which files the network did not take. */
  async #tellOfFiles({ accountId, answerId, fileRefs, language = 'en' }: AnswerRow): Promise<void> {
    if (fileRefs.length === 0) return;
    const names = fileRefs.map((ref) => plainName(this.#deps.files.get(ref)?.filename ?? ''));
    const text = names.map((name) => say('file_refused', language, name)).join('\n');
    await this.add({ accountId, answerId: `${answerId}:refused`, text });
  }

  #remove({ accountId, answerId }: AnswerRow): void {
    this.#deps.store
      .write((sql) => deleteAnswer(sql, accountId, answerId))
      // It stays listed and is delivered again after a restart, which the ledger then answers as a duplicate.
      .catch((error: unknown) => this.#deps.log.debug({ error: describeError(error) }, 'an answer was not removed'));
  }

  #laneOf(accountId: string): Lane {
    let lane = this.#lanes.get(accountId);
    if (!lane) {
      lane = { answers: [], failures: 0, busy: false, kicks: 0, retry: undefined };
      this.#lanes.set(accountId, lane);
    }
    return lane;
  }
}

/** The first part has the answer's own id, under which it may have been shown while it grew. */
function inParts({ fileRefs = [], ...answer }: NewAnswer): Omit<AnswerRow, 'expiresAt'>[] {
  const files = fileRefs.map((ref) => ({ ...answer, text: '', fileRefs: [ref] }));
  const parts = answer.text === '' && files.length > 0 ? files : [{ ...answer, fileRefs: [] }, ...files];
  return parts.map((part, index) =>
    index === 0 ? part : { ...part, answerId: `${answer.answerId}:f${String(index)}` },
  );
}
