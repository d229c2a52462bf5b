import { sleep, type Clock } from '../base/clock.js';
import { describeError, TargetRefusal } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ErrorCode } from '../protocol/index.js';
import type { OutboundPart, TargetSession } from '../targets/target.js';
import type { Activities } from './activity.js';
import type { OutboundRequest, OutboundVerdict, RecallRequest } from './delivery.js';
import type { Lanes } from './lane.js';
import type { HeldItem } from './held-lot.js';
import type { HeldReplies, HoldStep } from './held-replies.js';
import {
  contentHashOf,
  entryIdOf,
  keyOf,
  mayRepeat,
  refusedEntry,
  type Ledger,
  type LedgerEntry,
  type RememberedFile,
} from './ledger.js';
import { CALL_BUDGET_MS, PartSender, REJECTED, rejected } from './part-sender.js';
import { contentHashByRefs, rememberFiles } from './recall.js';
import type { Sessions } from './sessions.js';
import type { StreamHandle } from './stream-view.js';
import type { Streams } from './streams.js';

/**
 * How long a closing program lets the parts that are at the network right now come back and be recorded. The server has waited
 * for them before this begins, and the whole program ends within 5 s.
 */
const CLOSE_PATIENCE_MS = 1_500;
/** And how long, after that, what was broken off may take to be written down as in doubt. */
const ABORT_PATIENCE_MS = 500;
/** Why held messages end with their channel. */
const CHANNEL_ENDED = 'channel_ended';

interface OutboundDeps {
  readonly ledger: Ledger;
  readonly lanes: Lanes;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly activities: Activities;
  readonly held: HeldReplies;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly onChange: (accountId: string) => void;
}

interface Run {
  readonly channelId: string;
  readonly contentHash: string;
  readonly files: readonly RememberedFile[];
  readonly verdict: Promise<OutboundVerdict>;
  readonly abort: AbortController;
}

/** Answers "done, running, or new?" for each message of an agent, and has the new ones sent, one after the other per account. */
export class Outbound {
  readonly #deps: OutboundDeps;
  readonly #runs = new Map<string, Run>();
  #closing = false;

  constructor(deps: OutboundDeps) {
    this.#deps = deps;
  }

  /** An account has a session: what is in doubt of it, and can't be resolved by a repeat, is told from now on. */
  attached(accountId: string, session: TargetSession): void {
    const { ledger, clock } = this.#deps;
    for (const entry of ledger.inDoubtOf(accountId)) {
      if (this.isRunning(entry.channelId, entry.entryId) || mayRepeat(entry, session, clock.steady())) continue;
      this.#doubt(entry);
    }
  }

  async deliver(request: OutboundRequest): Promise<OutboundVerdict> {
    try {
      return await this.#answer(request);
    } catch (error) {
      this.#deps.log.error(
        { accountId: request.accountId, error: describeError(error) },
        'an answer was not delivered',
      );
      return failed();
    } finally {
      this.#deps.onChange(request.accountId);
    }
  }

  /** What {@link Delivery.recall} says, without waiting for anything. */
  recall(request: RecallRequest): Promise<OutboundVerdict> | undefined {
    const { channelId } = request;
    const entryId = entryIdOf(request);
    const run = this.#runs.get(keyOf(channelId, entryId));
    const held = this.#deps.held.find(channelId, entryId);
    const entry = run ? undefined : this.#deps.ledger.find(channelId, entryId);
    const files = run?.files ?? held?.reply.files ?? entry?.detail.files ?? [];
    const contentHash = contentHashByRefs(request, files);
    if (contentHash === undefined) return undefined;
    if (run) return this.#joined(run, request, contentHash).catch(() => failed());
    if (held) return this.#answerHeld(held, request, contentHash);
    const { accountId } = entry?.detail ?? { accountId: '' };
    const known = this.#knownVerdict({ ...request, accountId }, entry, contentHash);
    return known && Promise.resolve(known);
  }

  isRunning(channelId: string, entryId: string): boolean {
    return this.#runs.has(keyOf(channelId, entryId)) || this.#deps.held.find(channelId, entryId) !== undefined;
  }

  /** Ends what is under way on a channel that is about to be forgotten. */
  async endChannel(channelId: string): Promise<void> {
    const runs = [...this.#runs.values()].filter((run) => run.channelId === channelId);
    for (const run of runs) run.abort.abort();
    await this.#deps.held.forgetChannel(channelId, CHANNEL_ENDED);
    await Promise.all(runs.map((run) => run.verdict.catch(() => undefined)));
  }

  async close(): Promise<void> {
    this.#closing = true;
    const { clock, lanes, held } = this.#deps;
    held.close();
    const finished = new AbortController();
    void lanes.idle().then(() => finished.abort());
    await sleep(clock, CLOSE_PATIENCE_MS, finished.signal).catch(() => undefined);
    for (const run of this.#runs.values()) run.abort.abort();
    held.abort();
    await sleep(clock, ABORT_PATIENCE_MS, finished.signal).catch(() => undefined);
  }

  #doubt(entry: LedgerEntry): void {
    const { ledger, onChange } = this.#deps;
    void ledger.doubt(entry).then(() => onChange(entry.detail.accountId));
  }

  #answer(request: OutboundRequest): Promise<OutboundVerdict> | OutboundVerdict {
    const { channelId } = request;
    const entryId = entryIdOf(request);
    const key = keyOf(channelId, entryId);
    const contentHash = contentHashOf(request);
    const running = this.#runs.get(key);
    if (running) return this.#joined(running, request, contentHash);
    const held = this.#deps.held.find(channelId, entryId);
    if (held) return this.#answerHeld(held, request, contentHash);
    const known = this.#knownVerdict(request, this.#deps.ledger.find(channelId, entryId), contentHash);
    if (known) return known;
    if (this.#closing || !this.#deps.sessions.get(request.accountId)) return unreachable();
    const abort = new AbortController();
    const verdict = this.#begin(request, entryId, contentHash, abort.signal).finally(() => this.#runs.delete(key));
    this.#runs.set(key, { channelId, contentHash, files: rememberFiles(request.files), verdict, abort });
    return verdict;
  }

  /** Who asked first is told `accepted`, everyone who asked meanwhile `duplicate`, and all the same when it fails. */
  async #joined(run: Run, request: Pick<OutboundRequest, 'kind'>, contentHash: string): Promise<OutboundVerdict> {
    if (run.contentHash !== contentHash) return conflict(request);
    const first = await run.verdict;
    return first.status === 'accepted' ? { status: 'duplicate', messageIds: first.messageIds } : first;
  }

  async #answerHeld(
    held: HeldItem,
    request: Pick<OutboundRequest, 'kind'>,
    contentHash: string,
  ): Promise<OutboundVerdict> {
    return held.reply.contentHash === contentHash ? this.#deps.held.answer(held) : conflict(request);
  }

  /** The verdict that the ledger alone can give. */
  #knownVerdict(
    request: Pick<OutboundRequest, 'kind' | 'accountId'>,
    entry: LedgerEntry | undefined,
    contentHash: string,
  ): OutboundVerdict | undefined {
    if (!entry || entry.state === 'streaming') return undefined;
    if (entry.contentHash !== contentHash) return conflict(request);
    switch (entry.state) {
      case 'completed':
        return { status: 'duplicate', messageIds: entry.detail.messageIds };
      case 'rejected': {
        const { refusal } = entry.detail;
        return rejected(refusal?.code ?? ErrorCode.targetDeliveryFailed, refusal?.message ?? REJECTED.failed, false);
      }
      case 'sending':
      case 'unknown': {
        // What another account's network may have is not known any better by sending it to this one's.
        if (entry.inDoubt && entry.detail.accountId !== request.accountId) {
          this.#doubt(entry);
          return rejected(ErrorCode.deliveryUnknown, REJECTED.unknown, false);
        }
        // Without a session nobody can say whether a repeat is safe; the agent may ask again.
        const session = this.#deps.sessions.get(request.accountId);
        if (!entry.inDoubt || !session || mayRepeat(entry, session, this.#deps.clock.steady())) return undefined;
        this.#doubt(entry);
        return rejected(ErrorCode.deliveryUnknown, REJECTED.unknown, false);
      }
    }
  }

  async #begin(
    request: OutboundRequest,
    entryId: string,
    contentHash: string,
    signal: AbortSignal,
  ): Promise<OutboundVerdict> {
    const { lanes, streams, activities, clock } = this.#deps;
    const deadline = clock.monotonic() + CALL_BUDGET_MS;
    const isMessage = request.kind === 'message';
    if (isMessage) activities.clear(request.accountId);
    const preview = isMessage ? streams.finish(request, request.id) : Promise.resolve(undefined);
    const step = await lanes.run(request.accountId, async () => {
      const draft = draftOf(await preview);
      const result = await this.#send(request, entryId, contentHash, { deadline, signal, draft });
      // Nobody knows it any more: where it did not become the answer, that comes as a message of its own.
      if (draft) this.#deps.sessions.get(request.accountId)?.stream?.discard?.(draft.handle);
      return result;
    });
    return 'later' in step ? step.later : step.verdict;
  }

  async #send(
    request: OutboundRequest,
    entryId: string,
    contentHash: string,
    call: { deadline: number; signal: AbortSignal; draft: StreamHandle | undefined },
  ): Promise<HoldStep> {
    const { ledger, sessions, held } = this.#deps;
    const session = sessions.get(request.accountId);
    if (!session || this.#closing || call.signal.aborted) return { verdict: unreachable() };
    const found = progressOf(ledger.find(request.channelId, entryId), request.accountId);
    const entry: LedgerEntry = {
      channelId: request.channelId,
      entryId,
      contentHash,
      state: 'sending',
      partsSent: found?.partsSent ?? 0,
      inDoubt: found?.inDoubt ?? false,
      detail: {
        messageIds: [],
        ...found?.detail,
        accountId: request.accountId,
        ...(request.files.length > 0 && { files: rememberFiles(request.files) }),
      },
    };
    const parts = await this.#plan(session, request, entry);
    if ('status' in parts) return { verdict: parts };
    const isWhole = entry.partsSent === 0 && request.files.length === 0;
    const wait = held.reasonToWait(session, request, parts.length - entry.partsSent, isWhole);
    if (wait) return held.hold(request, entry, wait, call.signal);
    const mayGoOn = (): boolean =>
      !this.#closing && !call.signal.aborted && sessions.get(request.accountId) === session;
    // A tool's result can say that it is held; of an answer that its network refuses, an acknowledgment has to say no for good.
    const mayWait = request.kind === 'tool';
    const sending = { session, parts, mayGoOn, mayWait, ...call };
    const verdict = await new PartSender(this.#deps, sending, entry).run();
    if (verdict.status !== 'held') return { verdict };
    const sofar = ledger.find(request.channelId, entryId) ?? entry;
    return held.hold(request, sofar, { code: verdict.code, isBrief: false }, call.signal);
  }

  async #plan(
    session: TargetSession,
    request: OutboundRequest,
    entry: LedgerEntry,
  ): Promise<readonly OutboundPart[] | OutboundVerdict> {
    try {
      const parts = session.plan({ text: request.text, files: request.files });
      return parts.length > 0 ? parts : rejected(ErrorCode.targetDeliveryFailed, REJECTED.empty, false);
    } catch (error) {
      if (!(error instanceof TargetRefusal)) throw error;
      const { code, message, retryable } = error;
      if (!retryable) await this.#deps.ledger.record(refusedEntry(entry, { code, message }), 'send_refused');
      return rejected(code, message, retryable);
    }
  }
}

/**
 * How far this account's conversation has the message. What another account's has is of no use in it. Where damage on disk took whose it
 * is, it counts as this one's: its parts must not be sent twice.
 */
function progressOf(entry: LedgerEntry | undefined, accountId: string): LedgerEntry | undefined {
  const owner = entry?.detail.accountId;
  return owner === accountId || owner === '' ? entry : undefined;
}

/** A visible preview is in the ledger; only one that dies with us has to be carried along. */
function draftOf(preview: StreamHandle | undefined): StreamHandle | undefined {
  return preview?.visible === false ? preview : undefined;
}

function conflict(request: Pick<OutboundRequest, 'kind'>): OutboundVerdict {
  return request.kind === 'message'
    ? rejected(ErrorCode.messageIdConflict, 'this message id was used for other content', false)
    : rejected(ErrorCode.idempotencyConflict, 'this call was made before with other arguments', false);
}

function failed(): OutboundVerdict {
  return rejected(ErrorCode.internalError, REJECTED.failed, true);
}

function unreachable(): OutboundVerdict {
  return rejected(ErrorCode.targetUnreachable, REJECTED.unreachable, true);
}
