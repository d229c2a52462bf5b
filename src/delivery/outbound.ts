import { sleep, type Clock } from '../base/clock.js';
import { describeError, TargetRefusal } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ErrorCode } from '../protocol/index.js';
import type { OutboundPart, TargetSession } from '../targets/target.js';
import type { Activities } from './activity.js';
import type { OutboundRequest, OutboundVerdict, RecallRequest } from './delivery.js';
import type { Lanes } from './lane.js';
import { contentHashOf, entryIdOf, mayRepeat, type Ledger, type LedgerEntry, type RememberedFile } from './ledger.js';
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

interface OutboundDeps {
  readonly ledger: Ledger;
  readonly lanes: Lanes;
  readonly sessions: Sessions;
  readonly streams: Streams;
  readonly activities: Activities;
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
      if (this.isRunning(entry.channelId, entry.entryId) || mayRepeat(entry, session, clock.now())) continue;
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
    const entry = run ? undefined : this.#deps.ledger.find(channelId, entryId);
    const contentHash = contentHashByRefs(request, run?.files ?? entry?.detail.files ?? []);
    if (contentHash === undefined) return undefined;
    if (run) return this.#joined(run, request, contentHash).catch(() => failed());
    const { accountId } = entry?.detail ?? { accountId: '' };
    const known = this.#knownVerdict({ ...request, accountId }, entry, contentHash);
    return known && Promise.resolve(known);
  }

  isRunning(channelId: string, entryId: string): boolean {
    return this.#runs.has(keyOf(channelId, entryId));
  }

  /** Ends what is under way on a channel that is about to be forgotten. */
  async endChannel(channelId: string): Promise<void> {
    const runs = [...this.#runs.values()].filter((run) => run.channelId === channelId);
    for (const run of runs) run.abort.abort();
    await Promise.all(runs.map((run) => run.verdict.catch(() => undefined)));
  }

  async close(): Promise<void> {
    this.#closing = true;
    const { clock, lanes } = this.#deps;
    const finished = new AbortController();
    void lanes.idle().then(() => finished.abort());
    await sleep(clock, CLOSE_PATIENCE_MS, finished.signal).catch(() => undefined);
    for (const run of this.#runs.values()) run.abort.abort();
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
    return first.status === 'rejected' ? first : { status: 'duplicate', messageIds: first.messageIds };
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
        if (!entry.inDoubt || !session || mayRepeat(entry, session, this.#deps.clock.now())) return undefined;
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
    return lanes.run(request.accountId, async () =>
      this.#send(request, entryId, contentHash, { deadline, signal, draft: draftOf(await preview) }),
    );
  }

  async #send(
    request: OutboundRequest,
    entryId: string,
    contentHash: string,
    call: { deadline: number; signal: AbortSignal; draft: StreamHandle | undefined },
  ): Promise<OutboundVerdict> {
    const { ledger, sessions } = this.#deps;
    const session = sessions.get(request.accountId);
    if (!session || this.#closing || call.signal.aborted) return unreachable();
    const found = progressOf(ledger.find(request.channelId, entryId), request.accountId);
    const entry: LedgerEntry = {
      channelId: request.channelId,
      entryId,
      contentHash,
      state: 'sending',
      partsSent: found?.partsSent ?? 0,
      inDoubt: found?.inDoubt ?? false,
      detail: {
        accountId: request.accountId,
        messageIds: [],
        ...found?.detail,
        ...(request.files.length > 0 && { files: rememberFiles(request.files) }),
      },
    };
    const parts = await this.#plan(session, request, entry);
    if ('status' in parts) return parts;
    const mayGoOn = (): boolean =>
      !this.#closing && !call.signal.aborted && sessions.get(request.accountId) === session;
    return new PartSender(this.#deps, { session, parts, mayGoOn, ...call }, entry).run();
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
      if (!retryable) {
        const refused = {
          ...entry,
          state: 'rejected',
          detail: { ...entry.detail, refusal: { code, message } },
        } as const;
        await this.#deps.ledger.record(refused, 'send_refused');
      }
      return rejected(code, message, retryable);
    }
  }
}

function keyOf(channelId: string, entryId: string): string {
  return `${channelId} ${entryId}`;
}

/** How far this account's conversation has the message. What another account's has is of no use in it. */
function progressOf(entry: LedgerEntry | undefined, accountId: string): LedgerEntry | undefined {
  return entry?.detail.accountId === accountId ? entry : undefined;
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
