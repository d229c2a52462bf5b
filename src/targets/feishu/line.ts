import { sleep } from '../../base/clock.js';
import { describeError, TransportError } from '../../base/errors.js';
import { startPollLoop, type PollLoop } from '../supervisor.js';
import type { AccountHandle, BindingState, TargetContext } from '../target.js';
import type { FeishuApi } from './api.js';
import { consumerOf, type FeishuBinding } from './binding.js';
import type { FeishuClient } from './client.js';
import { Connection } from './connection.js';
import { isRefusal } from './errors.js';
import { readEvent, type GroupMessages } from './inbound.js';
import type { PingRules } from './ping-pace.js';
import type { LoadSdk } from './sdk.js';

/**
 * Without any byte from the server for this long the connection is given up, whatever the SDK's own timers do. A quiet, healthy
 * line always says something before; milliseconds.
 */
export const SILENCE_LIMIT_MS = 140_000;
const BACKOFF = { initialMs: 1_000, maxMs: 60_000 };
/** The server repeats what is not acknowledged within three seconds; waiting for room ends before. Milliseconds. */
export const ROOM_PATIENCE_MS = 2_000;

/** Of the last message that was taken in: where the typing reaction goes. */
export const LAST_MESSAGE = 'lastMessage';

export interface LineDeps {
  readonly context: TargetContext;
  readonly account: AccountHandle;
  readonly binding: FeishuBinding;
  readonly client: FeishuClient;
  readonly api: FeishuApi;
  readonly groups: GroupMessages;
  readonly ping: PingRules;
  readonly load: LoadSdk;
  readonly report: (state: BindingState) => void;
  /** The owner has just written in the direct chat. */
  readonly onDirect: () => void;
}

/**
 * The long connection of one app, kept up without end: each one that breaks, goes silent or is refused for a time is replaced
 * by a fresh one. Only credentials that are no longer taken end it.
 */
export class Line {
  readonly #deps: LineDeps;
  readonly #closed = new AbortController();
  readonly #loop: PollLoop;
  #connection: Connection | undefined;
  #botId: string | undefined;
  #isBotKnown = false;

  constructor(deps: LineDeps) {
    const { clock, log, random } = deps.context;
    this.#deps = deps;
    this.#loop = startPollLoop({
      clock,
      log,
      random,
      backoff: BACKOFF,
      deadlineMs: SILENCE_LIMIT_MS,
      step: (signal) => this.#step(signal),
      renew: () => this.#hangUp(),
      report: deps.report,
    });
  }

  get lastRoundTripAt(): number | undefined {
    return this.#loop.lastRoundTripAt;
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#closed.abort(new Error('closed'));
    this.#hangUp();
    await this.#loop.stop();
    this.#hangUp();
  }

  async #step(signal: AbortSignal): Promise<void> {
    this.#connection ??= await this.#connect(signal);
    await this.#connection.next();
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    const { client, context, ping, load } = this.#deps;
    await this.#learnBotId(signal);
    const sdk = await load();
    if (signal.aborted || this.#closed.signal.aborted) {
      throw new TransportError('aborted', 'The connection is no longer wanted', { effect: 'none' });
    }
    return new Connection({
      sdk,
      access: client.access,
      clock: context.clock,
      log: context.log,
      wayOut: context.wayOut,
      ping,
      onEvent: (event) => this.#take(event),
    });
  }

  /** Also shows, before the connection does, whether the credentials are taken. */
  async #learnBotId(signal: AbortSignal): Promise<void> {
    if (this.#isBotKnown) return;
    try {
      this.#botId = await this.#deps.api.botId(signal);
    } catch (error) {
      // Without it, only mentions of the bot are not recognised.
      if (!isRefusal(error, 'permission_missing')) throw error;
    }
    this.#isBotKnown = true;
  }

  /** @throws StoreError when the disk refuses, Error when there is no room: the server delivers it again */
  async #take(event: unknown): Promise<void> {
    const { context, account, binding, groups, onDirect } = this.#deps;
    this.#closed.signal.throwIfAborted();
    const verdict = readEvent(event, { ownerId: binding.ownerId, botId: this.#botId, groups });
    const consumer = consumerOf(binding.appId);
    const { accountId } = account;
    if (verdict.kind === 'ignored') {
      const ignored = [{ accountId, reason: verdict.reason }];
      await context.intake.commit({ consumer, state: {}, messages: [], ignored });
      return;
    }
    await this.#waitForRoom();
    const { message } = verdict;
    const state = { [LAST_MESSAGE]: message.id };
    await context.intake.commit({ consumer, state, messages: [{ accountId, message }] });
    if (message.conversation.type === 'p2p') onDirect();
  }

  async #waitForRoom(): Promise<void> {
    const { clock, intake } = this.#deps.context;
    const patience = new AbortController();
    const follow = (): void => patience.abort(new Error('closed'));
    this.#closed.signal.addEventListener('abort', follow, { once: true });
    const full = sleep(clock, ROOM_PATIENCE_MS, patience.signal).then(() => {
      throw new Error('too many messages wait for the agent');
    });
    try {
      await Promise.race([intake.roomFor([this.#deps.account.accountId], patience.signal), full]);
    } finally {
      patience.abort(new Error('decided'));
      full.catch(() => undefined);
      this.#closed.signal.removeEventListener('abort', follow);
    }
  }

  #hangUp(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    try {
      connection?.close();
    } catch (error) {
      this.#deps.context.log.debug({ error: describeError(error) }, 'a connection did not close well');
    }
  }
}
