import { sleep, type Timer } from '../../base/clock.js';
import { describeError, TransportError } from '../../base/errors.js';
import { startPollLoop, type PollLoop, type StepFailure } from '../supervisor.js';
import type { AccountHandle, BindingState, ExpiredState, TargetContext } from '../target.js';
import { isAnswered, isStaleToken } from './answer.js';
import type { Conversation } from './conversation.js';
import {
  DEFAULT_HOLD_MS,
  HOLD_MARGIN_MS,
  SHORT_CALL_TIMEOUT_MS,
  type BotSession,
  type IlinkClient,
} from './ilink-client.js';
import { mapBatch, type InboundContext } from './inbound.js';
import type { QuoteCache } from './quotes.js';
import type { UpdateBatch } from './wire.js';

/** The server names the hold of the next poll; values beyond these bounds are not believed. Milliseconds. */
const MIN_HOLD_MS = 5_000;
const MAX_HOLD_MS = 120_000;
/**
 * A poll that brings no message is followed by the next not before this, whatever became of the cursor, or a server that does not
 * hold would be hammered.
 */
export const MIN_POLL_INTERVAL_MS = 1_000;
/** One step is at most a start notice, one poll of the longest hold, and writing what it brought. */
const STEP_DEADLINE_MS = MAX_HOLD_MS + HOLD_MARGIN_MS + SHORT_CALL_TIMEOUT_MS + 5_000;
/** Growing pauses between failed polls. */
const BACKOFF = { initialMs: 2_000, maxMs: 30_000 };
/**
 * A poll that the client gave up after the server's hold is an empty one, because the server may simply have held longer;
 * but only this long after the last answer, or a server that hangs would look well. Milliseconds.
 */
const TIMEOUT_TRUSTED_MS = 90_000;
/** An ended sign-in is looked at this often, without polling: the network sometimes takes a token back. Milliseconds. */
export const SLOW_CHECK_MS = 3_600_000;
/** After a start it is looked at so much later: who starts the program every day and for less than an hour has it looked at too. */
export const FIRST_CHECK_MS = 60_000;
/** Replies in a row that were accepted without an id, from which on the account no longer looks healthy. */
export const UNCONFIRMED_WARNING = 3;

export interface ReceiverDeps {
  readonly context: TargetContext;
  readonly client: IlinkClient;
  readonly account: AccountHandle;
  readonly bot: BotSession;
  readonly userId: string;
  readonly conversation: Conversation;
  readonly quotes: QuoteCache;
  readonly mapping: Pick<InboundContext, 'sealLocator' | 'botId'>;
  /** How many replies in a row were accepted without an id. */
  readonly unconfirmed: () => number;
  /** How the sign-in ended in an earlier run of the program: then it is only looked at. */
  readonly ended: ExpiredState | undefined;
}

/** The one poller of a bot: batch, cursor and reply right in one transaction, before anything else is done with them. */
export class Receiver {
  readonly #deps: ReceiverDeps;
  readonly #closed = new AbortController();
  /** Undefined while there is only an ended sign-in to look at. */
  #loop: PollLoop | undefined;
  #holdMs = DEFAULT_HOLD_MS;
  #announced = false;
  /** What the last poll brought, until it is on disk. */
  #unstored: UpdateBatch | undefined;
  /** The one revival after a stale token was tried, and no poll has succeeded since. */
  #revived = false;
  /** Monotonic ms of the last poll that was answered. */
  #answeredAt: number | undefined;
  #checkTimer: Timer | undefined;
  #stopping: Promise<void> | undefined;

  constructor(deps: ReceiverDeps) {
    this.#deps = deps;
    if (deps.ended) this.#checkLater(FIRST_CHECK_MS);
    else this.#loop = this.#start();
  }

  get lastRoundTripAt(): number | undefined {
    return this.#loop?.lastRoundTripAt;
  }

  /** The sign-in has ended, as far as is known. */
  get hasEnded(): boolean {
    return this.#loop === undefined || this.#loop.state.status === 'expired';
  }

  /** Polls again at once on a fresh connection; nothing once the sign-in has ended. */
  wake(): void {
    this.#loop?.wake();
  }

  /** The number of unconfirmed replies changed. */
  restate(): void {
    if (this.#loop) this.#report(this.#loop.state);
  }

  /** Safe to call twice. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    const { client, bot, context } = this.#deps;
    this.#closed.abort(new Error('closed'));
    this.#checkTimer?.cancel();
    await this.#loop?.stop();
    if (!this.#announced || this.hasEnded) return;
    await client.notifyStop(bot).catch((error: unknown) => {
      context.log.debug({ error: describeError(error) }, 'the stop notice was not taken');
    });
  }

  #start(): PollLoop {
    const { context, account } = this.#deps;
    return startPollLoop({
      clock: context.clock,
      log: context.log,
      random: context.random,
      backoff: BACKOFF,
      deadlineMs: STEP_DEADLINE_MS,
      ready: (signal) => context.intake.roomFor([account.accountId], signal),
      step: (signal) => this.#poll(signal),
      classify: (error) => this.#classify(error),
      report: (state) => this.#report(state),
    });
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { context, conversation } = this.#deps;
    // An idle server holds the first poll for long: a notice that was answered says the same earlier.
    if (!this.#announced && (await this.#announce(signal)) && !this.#revived) return;
    const startedAt = context.clock.monotonic();
    const { cursor } = conversation;
    // A batch that the disk refused is stored first: the server may not give it a second time.
    this.#unstored ??= await this.#receive(cursor, signal);
    const batch = this.#unstored;
    if (batch === undefined) return;
    const brought = batch.cursor !== undefined && batch.cursor !== cursor;
    if (brought || batch.entries.length > 0) await this.#store(batch, cursor);
    this.#unstored = undefined;
    if (brought && batch.entries.length > 0) return;
    const early = startedAt + MIN_POLL_INTERVAL_MS - context.clock.monotonic();
    if (early > 0) await sleep(context.clock, early, signal);
  }

  /** One long poll; undefined when the server held it beyond the client's patience, which is an empty answer. */
  async #receive(cursor: string, signal: AbortSignal): Promise<UpdateBatch | undefined> {
    const { client, bot, context } = this.#deps;
    try {
      const batch = await client.getUpdates(bot, cursor, this.#holdMs, signal);
      this.#answeredAt = context.clock.monotonic();
      this.#revived = false;
      this.#holdMs = Math.min(Math.max(batch.holdMs ?? this.#holdMs, MIN_HOLD_MS), MAX_HOLD_MS);
      return batch;
    } catch (error) {
      const isHeld = error instanceof TransportError && error.code === 'timeout' && error.effect === 'unknown';
      const isTrusted =
        this.#answeredAt !== undefined && context.clock.monotonic() - this.#answeredAt < TIMEOUT_TRUSTED_MS;
      if (isHeld && isTrusted && !signal.aborted) return undefined;
      throw error;
    }
  }

  async #store(batch: UpdateBatch, asked: string): Promise<void> {
    const { context, account, conversation, quotes, userId, mapping } = this.#deps;
    const mapped = mapBatch(batch.entries, {
      ...mapping,
      ownerId: userId,
      cursor: asked,
      quoted: (id) => quotes.text(id),
    });
    const messages = mapped.flatMap((entry) => (entry.kind === 'message' ? [entry] : []));
    const renewal = conversation.renew(
      messages.map(({ message: { id, sentAt }, contextToken }) => ({ id, sentAt, contextToken })),
    );
    const remembered = quotes.remember(
      messages.map(({ quotableAs, message }) => ({ ids: quotableAs, text: message.text })),
    );
    await context.intake.commit({
      consumer: conversation.consumer,
      state: {
        ...(batch.cursor === undefined ? {} : { cursor: batch.cursor }),
        ...renewal.state,
        ...remembered.state,
      },
      messages: messages.map(({ message }) => ({ accountId: account.accountId, message })),
      ignored: mapped.flatMap((entry) =>
        entry.kind === 'ignored' ? [{ accountId: account.accountId, reason: entry.reason }] : [],
      ),
    });
    renewal.apply();
    remembered.apply();
  }

  /**
   * Tells the server that a client is there: once before polling, and again to revive a stale token. Best effort.
   * @returns whether the server took it
   */
  async #announce(signal: AbortSignal): Promise<boolean> {
    let taken = true;
    try {
      await this.#deps.client.notifyStart(this.#deps.bot, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      taken = false;
      this.#deps.context.log.debug({ error: describeError(error) }, 'the start notice was not taken');
    }
    this.#announced = true;
    return taken;
  }

  #classify(error: unknown): StepFailure | undefined {
    if (!isStaleToken(error)) return undefined;
    if (this.#revived) {
      // In the middle of a healthy line it is somebody else's sign-in; at the first poll it ended while we were away.
      const code = this.#answeredAt === undefined ? 'signed_out' : 'taken_over';
      return { next: 'stop', status: 'expired', code };
    }
    this.#revived = true;
    this.#announced = false;
    return { next: 'retry', code: 'stale_token', delayMs: 0, status: 'degraded' };
  }

  #report(state: BindingState): void {
    const { account, unconfirmed } = this.#deps;
    const looksWell = state.status === 'connected' && unconfirmed() < UNCONFIRMED_WARNING;
    account.report(
      state.status !== 'connected' || looksWell
        ? state
        : { status: 'degraded', code: 'sent_unconfirmed', since: state.since },
    );
    if (state.status === 'expired') this.#checkLater(SLOW_CHECK_MS);
  }

  #checkLater(ms: number): void {
    this.#checkTimer?.cancel();
    if (this.#closed.signal.aborted) return;
    this.#checkTimer = this.#deps.context.clock.after(ms, () => void this.#check());
  }

  /** A call that takes no messages from whoever polls now. */
  async #check(): Promise<void> {
    const { client, bot, userId, conversation, context } = this.#deps;
    let alive = true;
    try {
      await client.getConfig(bot, userId, conversation.contextToken, this.#closed.signal);
    } catch (error) {
      alive = isAnswered(error) && !isStaleToken(error);
      context.log.debug({ error: describeError(error) }, 'looked at an ended sign-in');
    }
    if (this.#closed.signal.aborted) return;
    if (!alive) {
      this.#checkLater(SLOW_CHECK_MS);
      return;
    }
    this.#revived = false;
    this.#announced = false;
    this.#loop = this.#start();
  }
}
