import { backoffDelay } from '../base/backoff.js';
import { wallTime, type Clock } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { FileStore } from '../files/file-store.js';
import { ErrorCode } from '../protocol/index.js';
import { StoreError, type Store } from '../store/index.js';
import type { TargetSession } from '../targets/target.js';
import { Reason } from './dispatcher.js';
import type { HeldFacts, OutboundRequest, OutboundVerdict } from './delivery.js';
import { HeldEndings, signedOut, type HeldEnding } from './held-endings.js';
import * as limits from './held-limits.js';
import { HELD_WORDS, heldVerdict, Wait } from './held-limits.js';
import { HeldLot, type HeldItem } from './held-lot.js';
import { HeldSender, type Sendable } from './held-sender.js';
import { allHeld, factsOf, heldReply, insertHeld, isAnswer, type HeldReply } from './held-store.js';
import type { Lanes } from './lane.js';
import { refusedEntry, type Ledger, type LedgerEntry } from './ledger.js';
import { allFit, isLean, nextBatch, takesOneReply, takesReserve, type Batch, type ReplyRules } from './merging.js';
import { REJECTED, rejected } from './part-sender.js';
import { rememberFiles } from './recall.js';
import type { Sessions } from './sessions.js';
import type { WriteBehind } from './write-behind.js';

interface HeldRepliesDeps {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly lanes: Lanes;
  readonly sessions: Sessions;
  readonly files: Pick<FileStore, 'get'>;
  readonly writeBehind: WriteBehind;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** Whether the agent behind a channel is known to be at work for this account. */
  readonly isWorking: (accountId: string, channelId: string) => boolean;
  readonly onChange: (accountId: string) => void;
}

/** Why a message is not sent at once. */
export interface WaitReason {
  readonly code: string;
  /** It goes out by itself, without the person: its agent gets the verdict of that, if it comes in time. */
  readonly isBrief: boolean;
}

/** One of the lot that can be sent as it stands. */
interface Candidate extends Sendable {
  readonly item: HeldItem;
}

/** A verdict now, or one that the account's other messages need not wait for. */
export type HoldStep = { readonly verdict: OutboundVerdict } | { readonly later: Promise<OutboundVerdict> };

/**
 * Messages of agents that can't be sent now and can wait: until the person writes, where the network takes no replies before, or for
 * others of the same run, where replies are few. Each is on disk with its ledger entry, goes out once and in order, and ends visibly
 * when its time is over.
 */
export class HeldReplies {
  readonly #deps: HeldRepliesDeps;
  readonly #sender: HeldSender;
  readonly #endings: HeldEndings;
  readonly #lots = new Map<string, HeldLot>();
  readonly #subscriptions = new Map<string, () => void>();
  #closed = false;

  constructor(deps: HeldRepliesDeps) {
    this.#deps = deps;
    this.#sender = new HeldSender(deps);
    this.#endings = new HeldEndings(deps);
    for (const { isDamaged, ...reply } of allHeld(deps.store.sql)) {
      if (isDamaged) this.#endings.lose(reply);
      else this.#lotOf(reply.accountId).add(reply, deps.clock.monotonic());
    }
  }

  find(channelId: string, entryId: string): HeldItem | undefined {
    for (const { items } of this.#lots.values()) {
      const found = items.find(({ reply }) => reply.channelId === channelId && reply.entryId === entryId);
      if (found) return found;
    }
    return undefined;
  }

  /** What a repeat of a held message is told. */
  async answer({ reply, sending }: HeldItem): Promise<OutboundVerdict> {
    const verdict = await sending;
    if (verdict?.status === 'accepted') return { ...verdict, status: 'duplicate' };
    return verdict?.status === 'rejected' && !verdict.retryable ? verdict : heldVerdict(reply.code);
  }

  /** Undefined when the message is to be sent at once. @param needs replies that it takes */
  reasonToWait(
    session: TargetSession,
    request: OutboundRequest,
    needs: number,
    isWhole: boolean,
  ): WaitReason | undefined {
    const { replies } = session;
    const window = session.replyWindow?.();
    if (!replies || !window) return undefined;
    const { channelId, text } = request;
    const before = (this.#lots.get(request.accountId)?.items ?? []).flatMap(({ reply }) => {
      const prepared = this.#sender.prepare(session, reply);
      return 'refusal' in prepared ? [] : [prepared];
    });
    const fitsOne = (merged: string): boolean => takesOneReply(session, merged);
    const all = [...before, { channelId, text, needs, isWhole }];
    if (!allFit(all, window.remaining, replies, fitsOne)) return { code: Wait.closed, isBrief: false };
    const lean = isLean(window.remaining, needs, replies);
    if (before.length === 0 && !lean) return undefined;
    // A tool call is waited for by the very run that it would wait for.
    return { code: Wait.scarce, isBrief: request.kind === 'message' || !lean };
  }

  /**
   * Keeps a message. Never rejects.
   * @param entry its ledger entry, in state `sending`
   * @param signal aborted when its channel ends
   */
  async hold(
    request: OutboundRequest,
    entry: LedgerEntry,
    { code, isBrief }: WaitReason,
    signal: AbortSignal,
  ): Promise<HoldStep> {
    const { clock, ledger, onChange } = this.#deps;
    const { accountId, files, text } = request;
    const lot = this.#lotOf(accountId);
    if (lot.items.length >= limits.HELD_MAX_MESSAGES || lot.bytes + Buffer.byteLength(text) > limits.HELD_MAX_BYTES) {
      const refusal = { code: Wait.closed, message: HELD_WORDS.full };
      await ledger.record(refusedEntry(entry, refusal), 'send_refused');
      return { verdict: rejected(refusal.code, refusal.message, false) };
    }
    const heldAt = clock.steady();
    const expiresAt = Math.min(heldAt + limits.HELD_TTL_MS, ...files.map((file) => file.expiresAt));
    const reply = heldReply(request, rememberFiles(files), { code, heldAt, expiresAt });
    try {
      await ledger.save(entry, 'held', (sql) => insertHeld(sql, reply));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { verdict: rejected(ErrorCode.internalError, REJECTED.notRecorded, true) };
    }
    // Its channel ended while this was written: so does its ledger, and what is kept here would be sent all the same.
    if (signal.aborted && !this.#closed) {
      return { verdict: rejected(ErrorCode.targetUnreachable, REJECTED.unreachable, true) };
    }
    const item = lot.add(reply, clock.monotonic());
    // Its account is no more, and nobody looks through this lot again.
    if (this.#lots.get(accountId) !== lot) {
      const ending = signedOut();
      await this.#endings.end(lot, item, ending);
      return { verdict: rejected(ending.refusal.code, ending.refusal.message, false) };
    }
    onChange(accountId);
    this.kick(accountId);
    return isBrief && !this.#closed ? { later: this.#verdictOf(item) } : { verdict: heldVerdict(code) };
  }

  /** Something changed that may let an account's messages go. Safe to call at any time. */
  kick(accountId: string): void {
    const lot = this.#lots.get(accountId);
    if (!lot || lot.queued || this.#closed) return;
    const { lanes, log } = this.#deps;
    lot.timer?.cancel();
    lot.queued = true;
    lanes
      .run(accountId, () => {
        lot.queued = false;
        return this.#flush(accountId, lot);
      })
      .catch((error: unknown) => log.error({ accountId, error: describeError(error) }, 'held messages were not sent'));
  }

  attached(accountId: string, session: TargetSession | undefined): void {
    this.#subscriptions.get(accountId)?.();
    this.#subscriptions.delete(accountId);
    const renewals = session?.replies?.onRenewed(() => this.kick(accountId));
    if (renewals) this.#subscriptions.set(accountId, renewals);
    if (session) this.kick(accountId);
  }

  noteActivity(accountId: string, isIdle: boolean): void {
    this.#lots.get(accountId)?.noteActivity(isIdle);
    if (isIdle) this.kick(accountId);
  }

  /** Ends what is older than it may be, each account's in its turn. @param now steady ms */
  expire(now: number): void {
    for (const [accountId, { items }] of this.#lots) {
      if (items.some(({ reply }) => reply.expiresAt <= now)) this.kick(accountId);
    }
  }

  /** The person wants it gone. @returns false when there is no such message any more */
  discard(accountId: string, messageId: string): Promise<boolean> {
    const lot = this.#lots.get(accountId);
    const item = lot?.items.find(({ reply }) => factsOf(reply).messageId === messageId);
    if (!lot || !item) return Promise.resolve(false);
    return this.#deps.lanes.run(accountId, async () => {
      if (!lot.items.includes(item)) return false;
      const refusal = { code: Reason.discarded, message: HELD_WORDS.discarded };
      await this.#endings.end(lot, item, { outcome: 'discarded', refusal, counter: 'discarded' });
      return true;
    });
  }

  async forgetAccount(accountId: string, reason: string): Promise<void> {
    const lot = this.#lots.get(accountId);
    if (!lot) return;
    await this.#stop(lot);
    // Not only those of now: one that was being written down may come while others end.
    for (let item = lot.items[0]; item; item = lot.items[0]) await this.#endings.end(lot, item, signedOut(reason));
    this.#lots.delete(accountId);
  }

  /** What is in the ledger of a forgotten channel goes with it; here nothing may come back to life. */
  async forgetChannel(channelId: string, reason: string): Promise<void> {
    for (const lot of this.#lots.values()) {
      const items = lot.items.filter(({ reply }) => reply.channelId === channelId);
      if (items.some(({ sending }) => sending !== undefined)) await this.#stop(lot);
      for (const item of items.filter((candidate) => lot.items.includes(candidate))) {
        lot.remove(item);
        this.#endings.note(item.reply, 'discarded', reason);
        item.answer?.(rejected(ErrorCode.targetUnreachable, REJECTED.unreachable, true));
      }
    }
  }

  count(accountId: string): number {
    return this.#lots.get(accountId)?.items.length ?? 0;
  }

  list(accountId: string, limit: number): HeldFacts[] {
    return (this.#lots.get(accountId)?.items ?? []).slice(0, limit).map(({ reply }) => this.#shown(reply));
  }

  /** Begins nothing more. Agents that wait are told what is true after the next start as well. */
  close(): void {
    this.#closed = true;
    for (const end of this.#subscriptions.values()) end();
    for (const lot of this.#lots.values()) {
      lot.timer?.cancel();
      for (const { reply, answer } of lot.items) answer?.(heldVerdict(reply.code));
    }
  }

  /** Breaks off what is at the network. */
  abort(): void {
    for (const lot of this.#lots.values()) lot.abort?.abort();
  }

  #shown(reply: HeldReply): HeldFacts {
    const { clock } = this.#deps;
    const { heldAt, expiresAt, ...facts } = factsOf(reply);
    return { ...facts, heldAt: wallTime(clock, heldAt), expiresAt: wallTime(clock, expiresAt) };
  }

  // ---------------------------------------------------------------- sending

  async #flush(accountId: string, lot: HeldLot): Promise<void> {
    for (let goesOn = true; goesOn && !this.#closed;) {
      await this.#expire(lot, this.#deps.clock.steady());
      const session = this.#deps.sessions.get(accountId);
      if (!session) return;
      const found = await this.#candidates(session, lot);
      // While some of them ended, the channel of others may have.
      const candidates = found.filter(({ item }) => lot.items.includes(item));
      const batch = this.#choose(session, accountId, lot, candidates);
      goesOn = batch !== undefined && (await this.#send(session, accountId, lot, { candidates, batch }));
    }
  }

  /** In the order of the lot; what can't be sent any more ends. */
  async #candidates(session: TargetSession, lot: HeldLot): Promise<Candidate[]> {
    const candidates: Candidate[] = [];
    for (const item of [...lot.items]) {
      const prepared = this.#sender.prepare(session, item.reply);
      if (!('refusal' in prepared)) {
        candidates.push({ ...prepared, item });
        continue;
      }
      const { refusal } = prepared;
      const counter = refusal.code === ErrorCode.deliveryUnknown ? 'in_doubt' : 'send_refused';
      await this.#endings.end(lot, item, { outcome: 'rejected', refusal, counter });
    }
    return candidates;
  }

  /** Undefined while nothing may go; where that changes with time alone, another look is planned. */
  #choose(
    session: TargetSession,
    accountId: string,
    lot: HeldLot,
    candidates: readonly Candidate[],
  ): Batch | undefined {
    const { clock, isWorking } = this.#deps;
    const rules: ReplyRules = session.replies ?? { scarceFrom: 0, reserve: 0 };
    const remaining = session.replyWindow?.()?.remaining ?? Infinity;
    const batch = nextBatch(candidates, remaining, rules, (text) => takesOneReply(session, text));
    const [head] = candidates;
    if (!batch || !head || batch.needs > remaining) return undefined;
    const reserve = takesReserve(remaining, batch.needs, rules);
    const work = { isWorking: isWorking(accountId, head.channelId), reserve };
    if (!isLean(remaining, batch.needs, rules) || lot.mayBeSpent(clock.monotonic(), work)) return batch;
    lot.timer = clock.after(limits.MERGE_QUIET_MS, () => this.kick(accountId));
    return undefined;
  }

  /** @returns whether the next may follow */
  async #send(
    session: TargetSession,
    accountId: string,
    lot: HeldLot,
    { candidates, batch }: { readonly candidates: readonly Candidate[]; readonly batch: Batch },
  ): Promise<boolean> {
    const { sessions, clock, random, log } = this.#deps;
    const items = candidates.slice(0, batch.count).map(({ item }) => item);
    const { signal } = (lot.abort = new AbortController());
    const mayGoOn = (): boolean => !this.#closed && !signal.aborted && sessions.get(accountId) === session;
    const sending = this.#sender.send(session, candidates, batch, { signal, mayGoOn }).catch((error: unknown) => {
      log.error({ accountId, error: describeError(error) }, 'a held message was not sent');
      return rejected(ErrorCode.internalError, REJECTED.failed, true);
    });
    for (const item of items) item.sending = sending;
    const verdict = await sending;
    for (const item of items) item.sending = undefined;
    lot.abort = undefined;
    if (verdict.status === 'rejected' && verdict.retryable) {
      lot.failures += 1;
      lot.timer = clock.after(backoffDelay(limits.HELD_RETRY, lot.failures, random), () => this.kick(accountId));
      return false;
    }
    lot.failures = 0;
    if (verdict.status === 'held') {
      const { code, message } = verdict;
      await this.#refuseNew(lot, items, { code, message });
      return false;
    }
    for (const item of items) {
      lot.remove(item);
      if (verdict.status === 'rejected') this.#endings.note(item.reply, 'rejected', verdict.code);
      item.answer?.(verdict);
    }
    this.#deps.onChange(accountId);
    return true;
  }

  /**
   * The network said no until the person writes. Whoever was told that the message is kept relies on it; an answer whose
   * agent still waits is refused by its network, and an acknowledgment has one word for that (IM Profile v2 section 7).
   */
  async #refuseNew(lot: HeldLot, items: readonly HeldItem[], refusal: HeldEnding['refusal']): Promise<void> {
    for (const item of items.filter(({ answer }) => answer !== undefined)) {
      if (!isAnswer(item.reply)) item.answer?.(heldVerdict(refusal.code));
      else await this.#endings.end(lot, item, { outcome: 'rejected', refusal, counter: 'send_refused' });
    }
  }

  #verdictOf(item: HeldItem): Promise<OutboundVerdict> {
    const { clock } = this.#deps;
    return new Promise((resolve) => {
      const answer = (verdict: OutboundVerdict): void => {
        item.answer = undefined;
        timer.cancel();
        resolve(verdict);
      };
      const timer = clock.after(limits.HELD_ANSWER_MS, () => answer(heldVerdict(item.reply.code)));
      item.answer = answer;
    });
  }

  // ---------------------------------------------------------------- endings

  async #expire(lot: HeldLot, now: number): Promise<void> {
    const refusal = { code: Wait.closed, message: HELD_WORDS.expired };
    for (const item of lot.items.filter(({ reply, sending }) => reply.expiresAt <= now && !sending)) {
      await this.#endings.end(lot, item, { outcome: 'expired', refusal, counter: 'held_expired' });
    }
  }

  /** Breaks off what is at the network and waits for its record. */
  async #stop(lot: HeldLot): Promise<void> {
    lot.timer?.cancel();
    lot.abort?.abort();
    await Promise.all(lot.items.flatMap(({ sending }) => sending ?? []));
  }

  #lotOf(accountId: string): HeldLot {
    let lot = this.#lots.get(accountId);
    if (!lot) {
      lot = new HeldLot();
      this.#lots.set(accountId, lot);
    }
    return lot;
  }
}
