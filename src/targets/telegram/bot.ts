import type { Message, Update } from 'grammy/types';
import { describeError, TransportError } from '../../base/errors.js';
import { startPollLoop, type PollLoop, type StepFailure } from '../supervisor.js';
import type { BindingState, IntakeBatch, TargetContext } from '../target.js';
import type { BotIdentity } from './addressing.js';
import type { TelegramBinding } from './binding.js';
import type { BotClient } from './client.js';
import { isRefusal } from './errors.js';
import { addressedAlbumsOf, messageOf, readUpdate, WANTED_UPDATES, type IgnoreReason } from './inbound.js';

/** Telegram holds an empty poll for this long; seconds, as the API counts. */
const POLL_HOLD_S = 30;
/** Beyond the hold, a poll that has not answered by then hangs. */
const POLL_SLACK_MS = 10_000;
const POLL_DEADLINE_MS = POLL_HOLD_S * 1_000 + POLL_SLACK_MS;
const POLL_LIMIT = 100;
const BACKOFF = { initialMs: 1_000, maxMs: 30_000 };

/** After "another program polls": longer than its poll can last, so that the two do not knock each other out for ever. */
const CONFLICT_DELAY_MS = 35_000;
/** From this many conflicts on the other program is taken to stay: look again at most once a minute. */
const CONFLICTS_UNTIL_SLOW = 10;
const SLOW_CONFLICT_DELAY_MS = 60_000;
const CONFLICT_JITTER_MS = 10_000;
/** One or two conflicts happen when a program is restarted; then it is a takeover. */
const CONFLICTS_UNTIL_TAKEN_OVER = 3;
const WEBHOOK_DELAY_MS = 60_000;

/** Updates of unbound private chats that are kept while somebody pairs, in case the chat becomes the bound one. */
const MAX_STRAYS = 200;

/** One account that lives on this bot. */
export interface Subscriber {
  readonly accountId: string;
  readonly token: string;
  readonly binding: TelegramBinding;
  migrated(chatId: number): Promise<void>;
  /** Whether the bot may write to the chat, as Telegram just told. */
  reachable(reachable: boolean): void;
  /** The forum topic the person wrote in last; answers go there. */
  topic(topicId: number | undefined): void;
  polling(state: BindingState): void;
}

/** Somebody who waits for a pairing code. */
export interface PairingListener {
  /** True when the message was a code, right or wrong: it is then nobody else's. */
  take(message: Message): boolean;
  polling(state: BindingState): void;
}

/**
 * One bot, however many accounts use it: Telegram gives each update once, to one poller. It polls while anybody listens.
 * A batch and the next offset are stored in one step; only the poll after that confirms them to Telegram.
 */
export class Bot {
  readonly identity: BotIdentity;
  readonly consumer: string;
  /** Whether this bot's server takes message drafts; found out by the first one. */
  takesDrafts = true;
  client: BotClient;
  readonly #context: TargetContext;
  readonly #newClient: (token: string) => BotClient;
  readonly #subscribers = new Set<Subscriber>();
  readonly #pairings = new Set<PairingListener>();
  /** Tokens of this bot that Telegram refused. */
  readonly #refusedTokens = new Set<string>();
  #strays: Update[] = [];
  #backlog: Update[] = [];
  #offset: number | undefined;
  #conflicts = 0;
  #loop: PollLoop | undefined;
  #lastRoundTripAt: number | undefined;

  constructor(context: TargetContext, identity: BotIdentity, newClient: (token: string) => BotClient, token: string) {
    this.#context = context;
    this.identity = identity;
    this.consumer = `telegram/${String(identity.id)}`;
    this.#newClient = newClient;
    this.client = newClient(token);
    const stored = Number(context.intake.state(this.consumer, 'offset'));
    this.#offset = Number.isSafeInteger(stored) && stored > 0 ? stored : undefined;
  }

  get lastRoundTripAt(): number | undefined {
    return this.#loop?.lastRoundTripAt ?? this.#lastRoundTripAt;
  }

  attach(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    const own = (update: Update): boolean => messageOf(update)?.chat.id === subscriber.binding.chatId;
    this.#backlog.push(...this.#strays.filter(own));
    this.#strays = this.#strays.filter((update) => !own(update));
    this.#listen(subscriber.token);
    if (this.#loop) subscriber.polling(this.#loop.state);
  }

  async detach(subscriber: Subscriber): Promise<void> {
    this.#subscribers.delete(subscriber);
    await this.#stopWhenAlone();
  }

  /** @param token a token of this bot that Telegram has just accepted */
  listenForPairing(listener: PairingListener, token: string): () => Promise<void> {
    if (this.#pairings.size === 0) this.#strays = [];
    this.#pairings.add(listener);
    this.#listen(token);
    if (this.#loop) listener.polling(this.#loop.state);
    return async () => {
      this.#pairings.delete(listener);
      await this.#stopWhenAlone();
    };
  }

  wake(): void {
    this.#loop?.wake();
  }

  async close(): Promise<void> {
    this.#subscribers.clear();
    this.#pairings.clear();
    await this.#stopWhenAlone();
    this.client.transport.close();
  }

  #listen(token: string): void {
    const renewed = token !== this.client.token && !this.#refusedTokens.has(token);
    if (renewed) this.#useToken(token);
    const halted = this.#loop?.state.status === 'revoked';
    if (this.#loop && !halted) {
      if (renewed || this.#backlog.length > 0) this.#loop.wake();
      return;
    }
    if (halted && !renewed) return;
    void this.#loop?.stop();
    this.#loop = this.#startLoop();
  }

  #useToken(token: string): void {
    this.client.transport.close();
    this.client = this.#newClient(token);
  }

  async #stopWhenAlone(): Promise<void> {
    if (this.#subscribers.size > 0 || this.#pairings.size > 0) return;
    const loop = this.#loop;
    this.#lastRoundTripAt = loop?.lastRoundTripAt;
    this.#loop = undefined;
    await loop?.stop();
  }

  #startLoop(): PollLoop {
    const { clock, log, random, intake } = this.#context;
    return startPollLoop({
      clock,
      log,
      random,
      backoff: BACKOFF,
      deadlineMs: POLL_DEADLINE_MS,
      ready: (signal) => intake.roomFor(this.#accountIds(), signal),
      step: (signal) => this.#poll(signal),
      classify: (error) => this.#classify(error),
      report: (state) => {
        for (const listener of [...this.#subscribers, ...this.#pairings]) listener.polling(state);
      },
      renew: () => this.client.transport.renew(),
    });
  }

  #accountIds(): string[] {
    return Array.from(this.#subscribers, ({ accountId }) => accountId);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const offset = this.#offset;
    const backlog = this.#backlog;
    // Until a round trip is complete nothing may look connected, so one that proves the line does not wait for news.
    const proven = this.#loop?.state.status === 'connected';
    const fresh = await this.client.call(
      (api) =>
        api.getUpdates({
          ...(offset === undefined ? {} : { offset }),
          limit: POLL_LIMIT,
          timeout: proven && backlog.length === 0 ? POLL_HOLD_S : 0,
          allowed_updates: WANTED_UPDATES,
        }),
      signal,
      POLL_DEADLINE_MS,
    );
    const next = nextOffset(fresh, offset);
    this.#conflicts = 0;
    if (next === undefined && backlog.length === 0) return;
    const batch = await this.#read([...backlog, ...fresh]);
    const state = next === undefined ? batch.state : { ...batch.state, offset: String(next) };
    await this.#context.intake.commit({ ...batch, state });
    this.#offset = next ?? offset;
    this.#backlog = this.#backlog.slice(backlog.length);
  }

  async #read(updates: readonly Update[]): Promise<IntakeBatch> {
    const albums = new Set(addressedAlbumsOf(updates, this.identity));
    const messages: IntakeBatch['messages'][number][] = [];
    const ignored: { accountId: string; reason: string }[] = [];
    for (const update of updates) {
      if (this.#isForPairing(update)) continue;
      await this.#noteChatChange(update);
      const chat = messageOf(update)?.chat;
      const subscriber = this.#subscriberOf(chat?.id);
      if (chat && !subscriber) {
        this.#keepStray(update);
        const [first] = this.#subscribers;
        if (first) ignored.push({ accountId: first.accountId, reason: 'chat_not_bound' });
      }
      if (!subscriber) continue;
      const { accountId, binding } = subscriber;
      const verdict = this.#judge(update, binding, albums);
      if (verdict?.kind === 'ignored') ignored.push({ accountId, reason: verdict.reason });
      if (verdict?.kind !== 'message') continue;
      subscriber.reachable(true);
      subscriber.topic(verdict.topicId);
      messages.push({ accountId, message: verdict.message });
    }
    return { consumer: this.consumer, state: {}, messages, ignored };
  }

  /** One update that can't be read must not hold all those behind it for ever. */
  #judge(update: Update, binding: TelegramBinding, albums: ReadonlySet<string>): ReturnType<typeof readUpdate> {
    try {
      return readUpdate(update, binding, this.identity, albums);
    } catch (error) {
      this.#context.log.error({ updateId: update.update_id, error: describeError(error) }, 'an update can not be read');
      const reason: IgnoreReason = 'unreadable';
      return { kind: 'ignored', reason };
    }
  }

  #isForPairing(update: Update): boolean {
    const message = update.message;
    if (message?.chat.type !== 'private') return false;
    return Array.from(this.#pairings, (listener) => listener.take(message)).some(Boolean);
  }

  async #noteChatChange({ my_chat_member: change, message }: Update): Promise<void> {
    if (change) {
      const gone = change.new_chat_member.status === 'kicked' || change.new_chat_member.status === 'left';
      this.#subscriberOf(change.chat.id)?.reachable(!gone);
    }
    if (message?.migrate_to_chat_id !== undefined) {
      await this.#subscriberOf(message.chat.id)?.migrated(message.migrate_to_chat_id);
    }
  }

  #subscriberOf(chatId: number | undefined): Subscriber | undefined {
    return Array.from(this.#subscribers).find(({ binding }) => binding.chatId === chatId);
  }

  #keepStray(update: Update): void {
    if (this.#pairings.size === 0 || messageOf(update)?.chat.type !== 'private') return;
    this.#strays = [...this.#strays, update].slice(-MAX_STRAYS);
  }

  #classify(error: unknown): StepFailure | undefined {
    if (isRefusal(error, 'token_revoked')) {
      this.#refusedTokens.add(this.client.token);
      const other = Array.from(this.#subscribers).find(({ token }) => !this.#refusedTokens.has(token));
      if (!other) return undefined;
      this.#useToken(other.token);
      return { next: 'retry', code: error.code, delayMs: 0 };
    }
    if (isRefusal(error, 'webhook_active')) {
      return { next: 'retry', code: 'webhook_active', delayMs: WEBHOOK_DELAY_MS, status: 'offline' };
    }
    if (isRefusal(error, 'polled_elsewhere')) return this.#conflict();
    return undefined;
  }

  #conflict(): StepFailure {
    this.#conflicts += 1;
    const base = this.#conflicts < CONFLICTS_UNTIL_SLOW ? CONFLICT_DELAY_MS : SLOW_CONFLICT_DELAY_MS;
    const delayMs = base + Math.round(CONFLICT_JITTER_MS * this.#context.random());
    return this.#conflicts < CONFLICTS_UNTIL_TAKEN_OVER
      ? { next: 'retry', code: 'conflict', delayMs, status: 'degraded' }
      : { next: 'retry', code: 'taken_over', delayMs, status: 'offline' };
  }
}

/**
 * Where the next poll begins: behind the last update, also when that is lower than before. After a week of silence Telegram
 * starts its numbers anew; what was seen already is recognised by message id.
 * @throws TransportError when the server sends again what was confirmed: going on would be a busy loop
 */
function nextOffset(updates: readonly Update[], offset: number | undefined): number | undefined {
  if (!isBatch(updates)) {
    throw new TransportError('bad_answer', 'The server did not answer as a Bot API', { effect: 'none' });
  }
  const last = updates.at(-1)?.update_id;
  if (last !== undefined && last + 1 === offset) {
    throw new TransportError('offset_ignored', 'The server repeats what was confirmed', { effect: 'none' });
  }
  return last === undefined ? undefined : last + 1;
}

function isBatch(value: unknown): boolean {
  const hasId = (update: unknown): boolean =>
    typeof update === 'object' && update !== null && 'update_id' in update && Number.isSafeInteger(update.update_id);
  return Array.isArray(value) && value.every(hasId);
}
