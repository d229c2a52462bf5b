import { backoffDelay, type BackoffPolicy } from '../base/backoff.js';
import { sleep, type Clock } from '../base/clock.js';
import { describeError, type TargetRefusal } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { ErrorCode } from '../protocol/index.js';
import { putConsumerState, StoreError } from '../store/index.js';
import type { OutboundPart, PartWrite, Receipt, TargetSession } from '../targets/target.js';
import type { OutboundVerdict } from './delivery.js';
import { mayRepeat, partKeyOf, type Ledger, type LedgerEntry } from './ledger.js';
import { callNetwork, prepareCall, type CallOutcome } from './part-call.js';
import type { StreamHandle } from './stream-view.js';

/**
 * From a message's arrival on, waits for the network happen only while this lasts, so that the acknowledgment can
 * leave within a minute. Parts that go through without waiting may take longer; the acknowledgment comes at their end.
 */
export const CALL_BUDGET_MS = 45_000;
/** A network that asks for more patience than this gets it from the agent: the message is rejected as retryable. */
const RETRY_AFTER_MAX_MS = 20_000;
const PART_TRIES = 4;
/** Counts the messages that are at their network. */
const SENT = 'sent';
const RETRY: BackoffPolicy = { initialMs: 1_000, maxMs: 8_000 };

export const REJECTED = {
  unreachable: 'the chat network could not be reached',
  unknown: 'whether the chat network has this message is not known',
  notRecorded: 'the delivery could not be recorded',
  empty: 'there is nothing to send',
  failed: 'the message could not be delivered',
} as const;

export interface PartSenderDeps {
  readonly ledger: Pick<Ledger, 'save' | 'record'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

export interface Sending {
  readonly session: TargetSession;
  readonly parts: readonly OutboundPart[];
  /** A preview that only this run of the program knows; a visible one is in the entry. */
  readonly draft: StreamHandle | undefined;
  /** Monotonic ms. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  /** Whether sending may go on to the next part. */
  readonly mayGoOn: () => boolean;
  /** Whether a message that meets a closed reply window is kept by the caller; otherwise the network's no is for good. */
  readonly mayWait: boolean;
  /** Further messages that the one part is as well: they share its fate. */
  readonly peers?: readonly LedgerEntry[];
}

/** How one part is brought to the network. */
interface Way {
  /** What of it may be waited for while nothing is in doubt yet. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  readonly call: (signal: AbortSignal) => Promise<Receipt>;
  /** Repeating the call has the same effect as making it once. */
  readonly repeatable: boolean;
  /** It replaces a preview, which may be gone; then the part is sent as usual. */
  readonly replaces: boolean;
}

/**
 * Brings the parts of one message to the network in order, and the ledger along before and after each:
 * one write says "part n is there, part n+1 begins", and only what that write says is ever sent.
 */
export class PartSender {
  readonly #deps: PartSenderDeps;
  readonly #sending: Sending;
  #entry: LedgerEntry;
  #stored: LedgerEntry | undefined;
  #draft: StreamHandle | undefined;
  /** An earlier call of this part may have had its effect, whatever a later one answers. */
  #doubtful: boolean;

  /** @param entry in state `sending`; parts before `partsSent` are not sent again */
  constructor(deps: PartSenderDeps, sending: Sending, entry: LedgerEntry) {
    this.#deps = deps;
    this.#sending = sending;
    this.#entry = entry;
    this.#draft = sending.draft;
    this.#doubtful = entry.inDoubt;
  }

  async run(): Promise<OutboundVerdict> {
    try {
      if (this.#sending.session.sendsByWriting) return await this.#write();
      for (const part of this.#partsLeft) {
        const verdict = await this.#deliver(part);
        if (verdict) return verdict;
      }
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // Nothing was sent since the last write that worked; what is known meanwhile is kept in memory.
      await this.#record({ inDoubt: this.#doubtful });
      return rejected(ErrorCode.internalError, REJECTED.notRecorded, true);
    }
    await this.#record({ state: 'completed' }, SENT);
    return this.#accepted();
  }

  /**
   * The parts and the record that they are there are one write: nothing of them is there before it.
   * @throws StoreError when it is refused; nothing is there then, as before it
   */
  async #write(): Promise<OutboundVerdict> {
    const sofar = { entry: this.#entry, doubtful: this.#doubtful };
    const writes: PartWrite[] = [];
    try {
      for (const part of this.#partsLeft) {
        const receipt = await this.#wayOf(part).call(this.#sending.signal);
        this.#advance(receipt);
        if (receipt.write) writes.push(receipt.write);
      }
      this.#entry = { ...this.#entry, state: 'completed' };
      await this.#deps.ledger.save(this.#all(), SENT, (sql) => {
        for (const { consumer, state } of writes) putConsumerState(sql, consumer, state);
      });
    } catch (error) {
      this.#entry = sofar.entry;
      this.#doubtful = sofar.doubtful;
      for (const write of writes) write.failed();
      throw error;
    }
    for (const write of writes) write.done();
    return this.#accepted();
  }

  get #partsLeft(): readonly OutboundPart[] {
    return this.#sending.parts.slice(this.#entry.partsSent);
  }

  #accepted(): OutboundVerdict {
    return { status: 'accepted', messageIds: this.#entry.detail.messageIds };
  }

  /** @returns undefined when the part is there */
  async #deliver(part: OutboundPart): Promise<OutboundVerdict | undefined> {
    for (let tries = 1; ; tries += 1) {
      const way = this.#wayOf(part);
      if (!this.#sending.mayGoOn()) return this.#postpone(ErrorCode.targetUnreachable, REJECTED.unreachable);
      const outcome = (await this.#prepare(way)) ?? (await this.#call(way));
      if (outcome.kind === 'sent') {
        this.#advance(outcome.receipt);
        return undefined;
      }
      if (outcome.kind === 'refused' && way.replaces) {
        this.#dropPreview(outcome);
        tries = 0;
        continue;
      }
      const verdict = await this.#judge(outcome, way, tries);
      if (verdict) return verdict;
    }
  }

  /** @returns why the part can't be sent now; undefined when it can */
  async #prepare({ prepare }: Way): Promise<Exclude<CallOutcome, { kind: 'sent' }> | undefined> {
    if (!prepare) return undefined;
    // A crash while we wait must not look like a crash while the network was called.
    if (this.#stored) await this.#announce(false);
    const outcome = await prepareCall(prepare, this.#deps.clock, this.#sending.signal);
    return outcome ?? (this.#sending.mayGoOn() ? undefined : { kind: 'unreachable' });
  }

  async #call(way: Way): Promise<CallOutcome> {
    await this.#announce(!way.repeatable);
    return callNetwork(way.call, this.#deps.clock, this.#sending.signal);
  }

  /** @returns undefined when the part is worth another try, for which the time has been waited */
  async #judge(
    outcome: Exclude<CallOutcome, { kind: 'sent' }>,
    way: Way,
    tries: number,
  ): Promise<OutboundVerdict | undefined> {
    switch (outcome.kind) {
      case 'refused':
        return this.#refuse(outcome.refusal);
      case 'unreachable':
        return this.#postpone(ErrorCode.targetUnreachable, REJECTED.unreachable);
      case 'busy': {
        const { code, message, retryAfterMs } = outcome.refusal;
        const delay = retryAfterMs ?? backoffDelay(RETRY, tries, this.#deps.random);
        if (tries >= PART_TRIES || delay > RETRY_AFTER_MAX_MS || !this.#hasTimeFor(delay)) {
          return this.#postpone(code, message);
        }
        // A crash while we wait must not look like a crash while the network was called.
        await this.#announce(false);
        await this.#wait(delay);
        return undefined;
      }
      case 'unclear': {
        this.#deps.log.warn(
          { accountId: this.#entry.detail.accountId, error: describeError(outcome.error) },
          'it is not known whether the network has a part of an answer',
        );
        if (!way.repeatable) this.#doubtful = true;
        if (this.#doubtful && !mayRepeat(this.#entry, this.#sending.session, this.#deps.clock.steady())) {
          return this.#doubt();
        }
        const delay = backoffDelay(RETRY, tries, this.#deps.random);
        if (tries >= PART_TRIES || !this.#hasTimeFor(delay)) {
          // Still in doubt on the disk, but the agent may repeat it: the network takes the same key once.
          return rejected(ErrorCode.targetUnreachable, REJECTED.unreachable, true);
        }
        await this.#wait(delay);
        return undefined;
      }
    }
  }

  #wayOf(part: OutboundPart): Way {
    const { session } = this.#sending;
    const key = partKeyOf(this.#entry, this.#entry.partsSent);
    const { stream } = session;
    const prepare = session.prepare && { prepare: session.prepare.bind(session, part) };
    if (stream && this.#entry.partsSent === 0) {
      const visible = this.#entry.detail.stream;
      const handle = visible ?? this.#draft?.handle;
      if (handle !== undefined) {
        return {
          // What only changes a message that is there is never in doubt.
          ...(visible === undefined && prepare),
          call: (signal) => stream.finish(handle, part, key, signal),
          // Changing a message that is there to the same text twice is changing it once.
          repeatable: visible !== undefined,
          replaces: true,
        };
      }
    }
    return { ...prepare, call: (signal) => session.send(part, key, signal), repeatable: false, replaces: false };
  }

  /** Writes what is known before the network is called, unless the disk says so already. @throws StoreError */
  async #announce(inDoubt: boolean): Promise<void> {
    this.#entry = marked(this.#entry, inDoubt || this.#doubtful, this.#deps.clock.steady());
    if (this.#stored === this.#entry || (this.#stored && isSame(this.#stored, this.#entry))) return;
    await this.#deps.ledger.save(this.#all());
    this.#stored = this.#entry;
  }

  #advance(receipt: Receipt): void {
    const { detail, partsSent } = this.#entry;
    const messageIds = receipt.messageId === undefined ? detail.messageIds : [...detail.messageIds, receipt.messageId];
    const { stream: _used, doubtSince: _known, ...rest } = detail;
    this.#draft = undefined;
    this.#doubtful = false;
    this.#entry = { ...this.#entry, partsSent: partsSent + 1, inDoubt: false, detail: { ...rest, messageIds } };
  }

  #dropPreview(outcome: CallOutcome & { kind: 'refused' }): void {
    const { channelId, entryId } = this.#entry;
    this.#deps.log.info({ channelId, entryId, code: outcome.refusal.code }, 'a preview could not become the answer');
    const { stream: _gone, ...detail } = this.#entry.detail;
    this.#draft = undefined;
    this.#entry = { ...this.#entry, detail };
  }

  /** Not now: what is there stays recorded, and a repeat goes on after it. */
  async #postpone(code: string, message: string): Promise<OutboundVerdict> {
    await this.#record({ inDoubt: this.#doubtful });
    return rejected(code, message, true);
  }

  async #refuse({ code, message, awaitsPerson }: TargetRefusal): Promise<OutboundVerdict> {
    if (awaitsPerson && this.#sending.mayWait && !this.#doubtful) {
      await this.#record({ inDoubt: false });
      return { status: 'held', code, message };
    }
    this.#entry = { ...this.#entry, detail: { ...this.#entry.detail, refusal: { code, message } } };
    await this.#record({ state: 'rejected', inDoubt: false }, 'send_refused');
    return rejected(code, message, false);
  }

  async #doubt(): Promise<OutboundVerdict> {
    await this.#record({ state: 'unknown', inDoubt: true }, 'in_doubt');
    return rejected(ErrorCode.deliveryUnknown, REJECTED.unknown, false);
  }

  async #record(change: Partial<Pick<LedgerEntry, 'state' | 'inDoubt'>>, counter?: string): Promise<void> {
    this.#entry = { ...this.#entry, ...change };
    await this.#deps.ledger.record(this.#all(), counter);
  }

  #all(): LedgerEntry[] {
    const { state, partsSent, inDoubt, detail } = this.#entry;
    const peers = this.#sending.peers ?? [];
    return [
      this.#entry,
      ...peers.map((peer) => ({ ...peer, state, partsSent, inDoubt, detail: { ...peer.detail, ...detail } })),
    ];
  }

  #hasTimeFor(delay: number): boolean {
    return this.#deps.clock.monotonic() + delay <= this.#sending.deadline;
  }

  async #wait(delay: number): Promise<void> {
    await sleep(this.#deps.clock, delay, this.#sending.signal).catch(() => undefined);
  }
}

export function rejected(code: string, message: string, retryable: boolean): OutboundVerdict {
  return { status: 'rejected', code, message, retryable };
}

/** The time of doubt is that of the first call that may have had its effect. */
function marked(entry: LedgerEntry, inDoubt: boolean, now: number): LedgerEntry {
  const { doubtSince, ...detail } = entry.detail;
  return { ...entry, inDoubt, detail: inDoubt ? { ...detail, doubtSince: doubtSince ?? now } : detail };
}

function isSame(a: LedgerEntry, b: LedgerEntry): boolean {
  return (
    a.state === b.state && a.partsSent === b.partsSent && a.inDoubt === b.inDoubt && a.detail.stream === b.detail.stream
  );
}
