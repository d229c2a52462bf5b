import type { Message, Update } from 'grammy/types';
import { sleep } from '../../base/clock.js';
import { describeError } from '../../base/errors.js';
import { startPollLoop, type PollLoop, type StepFailure } from '../supervisor.js';
import type { BindingState, IntakeBatch, TargetContext } from '../target.js';
import { absentAccountOf } from './absent.js';
import type { BotIdentity } from './addressing.js';
import { AddressedAlbums } from './albums.js';
import { consumerOf, type TelegramBinding } from './binding.js';
import type { BotClient } from './client.js';
import { Conflicts, TAKEN_OVER } from './conflicts.js';
import { isRefusal } from './errors.js';
import { messageOf, readUpdate, WANTED_UPDATES, type IgnoreReason } from './inbound.js';
import { nextOffset } from './offset.js';
import { storedNumber } from './stored-number.js';
import { isReadable } from './readable.js';
import { Strays, type ExpectedChat } from './strays.js';

/** Telegram holds an empty poll for this long; seconds, as the API counts. */
const POLL_HOLD_S = 30;
/** Beyond the hold, a poll that has not answered by then hangs. */
const POLL_SLACK_MS = 10_000;
const POLL_DEADLINE_MS = POLL_HOLD_S * 1_000 + POLL_SLACK_MS;
const POLL_LIMIT = 100;
/**
 * Between a batch that brought something and the next poll: what came is on its way to its agent first, and the parts of an
 * album or of several messages that are forwarded together come together.
 */
const POLL_PAUSE_MS = 10;
/** A poll that brings nothing is followed by the next not before this, or a server that does not hold polls would be hammered. */
const EMPTY_POLL_INTERVAL_MS = 250;
const BACKOFF = { initialMs: 1_000, maxMs: 30_000 };

const WEBHOOK_DELAY_MS = 60_000;

/** The forum topic in which each chat's person wrote last. */
type Topics = Map<number, number | undefined>;

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
  /** The chat was bound by its pairing code just now: the person waits to hear that it worked. */
  paired(chat: ExpectedChat): void;
  polling(state: BindingState): void;
}

/** Somebody who waits for a pairing code. */
export interface PairingListener {
  /** True when the message was a code, right or wrong: it is then nobody else's. */
  take(message: Message): boolean;
  polling(state: BindingState): void;
}

export interface BotOptions {
  readonly context: TargetContext;
  readonly identity: BotIdentity;
  readonly newClient: (token: string) => BotClient;
  readonly token: string;
  /** Called when nobody uses the bot any more and its last calls are through; somebody may come back to it before. */
  readonly unused: () => void;
}

/**
 * One bot, however many accounts use it: Telegram gives each update once, to one poller. It polls while anybody listens.
 * A batch and the next offset are stored in one step; only the poll after that confirms them to Telegram.
 */
export class Bot {
  /** As the last sign-in found it: people rename their bots. */
  identity: BotIdentity;
  readonly consumer: string;
  /** Whether this bot's server takes message drafts; found out by the first one. */
  takesDrafts = true;
  client: BotClient;
  /** Of tokens that were replaced, while calls of theirs are under way. */
  readonly #former = new Set<BotClient>();
  readonly #context: TargetContext;
  readonly #newClient: (token: string) => BotClient;
  readonly #subscribers = new Set<Subscriber>();
  readonly #pairings = new Set<PairingListener>();
  /** Tokens of this bot that Telegram refused. */
  readonly #refusedTokens = new Set<string>();
  readonly #strays: Strays;
  readonly #albums: AddressedAlbums;
  readonly #unused: () => void;
  #backlog: Update[] = [];
  #offset: number | undefined;
  /** Before the next poll, milliseconds. */
  #pauseMs = 0;
  /** As they are stored, of the chats that were asked for. */
  readonly #topics: Topics = new Map();
  readonly #conflicts: Conflicts;
  #loop: PollLoop | undefined;
  #lastRoundTripAt: number | undefined;

  constructor(options: BotOptions) {
    const { context, identity, newClient, token, unused } = options;
    this.#context = context;
    this.identity = identity;
    this.consumer = consumerOf(identity.id);
    this.#newClient = newClient;
    this.client = newClient(token);
    this.#unused = unused;
    this.#strays = new Strays(context.clock, () => this.#letGo());
    this.#albums = new AddressedAlbums(context.clock);
    this.#conflicts = new Conflicts(context.clock, context.random);
    this.#offset = storedNumber(context.intake, this.consumer, 'offset');
  }

  get lastRoundTripAt(): number | undefined {
    return this.#loop?.lastRoundTripAt ?? this.#lastRoundTripAt;
  }

  /** @param subscriber whose token Telegram accepted when it was last asked */
  attach(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    const { updates, expected } = this.#strays.claim(subscriber.binding.chatId);
    this.#backlog.push(...updates);
    this.#listen(subscriber.token);
    if (this.#loop) subscriber.polling(this.#shown(this.#loop.state));
    if (expected) subscriber.paired(expected);
  }

  async detach(subscriber: Subscriber): Promise<void> {
    this.#subscribers.delete(subscriber);
    await this.#stopWhenAlone();
  }

  /** @param token a token of this bot that Telegram has just accepted */
  listenForPairing(listener: PairingListener, token: string): () => Promise<void> {
    this.#pairings.add(listener);
    this.#listen(token);
    if (this.#loop) listener.polling(this.#shown(this.#loop.state));
    return async () => {
      this.#pairings.delete(listener);
      if (this.#pairings.size === 0) this.#strays.pairingEnded();
      await this.#stopWhenAlone();
    };
  }

  /** The chat showed the right code, and its account is being stored: what it writes meanwhile is not lost. */
  expect(chatId: number, languageCode: string | undefined): void {
    this.#strays.expect(chatId, languageCode);
  }

  wake(): void {
    this.#loop?.wake();
  }

  async close(): Promise<void> {
    this.#subscribers.clear();
    this.#pairings.clear();
    this.#strays.clear();
    await this.#stopWhenAlone();
    for (const { transport } of [this.client, ...this.#former]) transport.close();
  }

  /** Polls, with a token that was accepted: one that was refused earlier has a new chance, the network may have erred. */
  #listen(token: string): void {
    this.#refusedTokens.delete(token);
    const renewed = token !== this.client.token;
    if (renewed) this.#useToken(token);
    if (this.#loop && this.#loop.state.status !== 'revoked') {
      if (renewed || this.#backlog.length > 0) this.#loop.wake();
      return;
    }
    void this.#loop?.stop();
    this.#loop = this.#startLoop();
  }

  /** What is in flight with the former token ends within its own deadline: cut off, a send would be one that nobody knows of. */
  #useToken(token: string): void {
    const former = this.client;
    this.client = this.#newClient(token);
    this.#former.add(former);
    void former.idle().then(() => {
      this.#former.delete(former);
      former.transport.close();
    });
  }

  get #isAlone(): boolean {
    return this.#subscribers.size === 0 && this.#pairings.size === 0;
  }

  async #stopWhenAlone(): Promise<void> {
    if (!this.#isAlone) return;
    const loop = this.#loop;
    this.#lastRoundTripAt = loop?.lastRoundTripAt;
    this.#loop = undefined;
    await loop?.stop();
    this.#letGo();
  }

  /** Nobody is left: once the last calls are through, the bot and its token need not be remembered. */
  #letGo(): void {
    const isUnused = (): boolean => this.#isAlone && !this.#strays.isExpecting;
    if (!isUnused()) return;
    void this.client.idle().then(() => {
      if (isUnused()) this.#unused();
    });
  }

  #startLoop(): PollLoop {
    const { clock, log, random } = this.#context;
    return startPollLoop({
      clock,
      log,
      random,
      backoff: BACKOFF,
      deadlineMs: POLL_DEADLINE_MS,
      ready: (signal) => this.#room(signal),
      step: (signal) => this.#poll(signal),
      classify: (error) => this.#classify(error),
      report: (state) => this.#tell(state),
      renew: () => this.client.transport.renew(),
    });
  }

  #tell(state: BindingState): void {
    for (const listener of [...this.#subscribers, ...this.#pairings]) listener.polling(this.#shown(state));
  }

  /** A line of which another program takes its share does not look well between two of its polls. */
  #shown(state: BindingState): BindingState {
    const since = this.#conflicts.takenOverSince;
    if (since === undefined) return state;
    if (state.status === 'connected') return { status: 'degraded', code: TAKEN_OVER, since };
    return state.code === TAKEN_OVER ? { ...state, since } : state;
  }

  /**
   * Telegram holds back all chats of a bot or none. Room for one is enough, so that a chat whose agent is away does not silence
   * the others; what comes for it beyond its room goes by the published rule, the oldest first.
   */
  #room(signal: AbortSignal): Promise<void> {
    return this.#context.intake.roomFor(this.#accountIds(), signal, 'any');
  }

  #accountIds(): string[] {
    return Array.from(this.#subscribers, ({ accountId }) => accountId);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    if (this.#pauseMs > 0) await sleep(this.#context.clock, this.#pauseMs, signal);
    this.#pauseMs = 0;
    const offset = this.#offset;
    const backlog = [...this.#backlog];
    // Until a round trip is complete nothing may look connected, so one that proves the line does not wait for news.
    const proven = this.#loop?.state.status === 'connected';
    const isHeld = proven && backlog.length === 0;
    const startedAt = this.#context.clock.monotonic();
    const fresh = await this.client.call(
      (api) =>
        api.getUpdates({
          ...(offset === undefined ? {} : { offset }),
          limit: POLL_LIMIT,
          timeout: isHeld ? POLL_HOLD_S : 0,
          allowed_updates: WANTED_UPDATES,
        }),
      signal,
      POLL_DEADLINE_MS,
    );
    const next = nextOffset(fresh, offset);
    if (this.#conflicts.passed() && this.#loop) this.#tell(this.#loop.state);
    if (next === undefined && backlog.length === 0) {
      if (isHeld) this.#pauseMs = startedAt + EMPTY_POLL_INTERVAL_MS - this.#context.clock.monotonic();
      return;
    }
    const readable = fresh.filter(isReadable);
    const { batch, topics } = await this.#read([...backlog, ...readable]);
    if (readable.length < fresh.length) {
      this.#context.log.warn({ count: fresh.length - readable.length }, 'updates that can not be read were left out');
    }
    const state = next === undefined ? batch.state : { ...batch.state, offset: String(next) };
    await this.#context.intake.commit({ ...batch, state });
    this.#offset = next ?? offset;
    for (const [chatId, topicId] of topics) this.#topics.set(chatId, topicId);
    this.#pauseMs = batch.messages.length > 0 ? POLL_PAUSE_MS : 0;
    const done = new Set(backlog);
    // What came in meanwhile stays, whatever an abandoned step has taken away before.
    this.#backlog = this.#backlog.filter((update) => !done.has(update));
  }

  async #read(updates: readonly Update[]): Promise<{ batch: IntakeBatch; topics: Topics }> {
    const albums = this.#albums.with(updates, this.identity);
    const topics: Topics = new Map();
    const messages: IntakeBatch['messages'][number][] = [];
    const ignored: { accountId: string; reason: string }[] = [];
    for (const update of updates) {
      if (this.#isForPairing(update)) continue;
      await this.#noteChatChange(update);
      const chat = messageOf(update)?.chat;
      const subscriber = this.#subscriberOf(chat?.id);
      const bound = subscriber ?? (chat && absentAccountOf(this.#context.accounts(), this.identity.id, chat.id));
      if (chat && !bound) {
        const kept = this.#strays.keep(update, this.#pairings.size > 0);
        // Nobody's message is a fact about the bot: each account on it shows the figure.
        if (!kept) ignored.push(...this.#accountIds().map((accountId) => ({ accountId, reason: 'chat_not_bound' })));
      }
      if (!bound) continue;
      const { accountId, binding } = bound;
      const verdict = this.#judge(update, binding, albums);
      if (verdict?.kind === 'ignored') ignored.push({ accountId, reason: verdict.reason });
      if (verdict?.kind !== 'message') continue;
      subscriber?.reachable(true);
      subscriber?.topic(verdict.topicId);
      topics.set(binding.chatId, verdict.topicId);
      messages.push({ accountId, message: verdict.message });
    }
    const batch = { consumer: this.consumer, state: this.#changesOf(topics), messages, ignored };
    return { batch, topics };
  }

  /** The topic of a chat that was stored with its last message; read once, and known from then on. */
  topicOf(chatId: number): number | undefined {
    if (!this.#topics.has(chatId)) {
      this.#topics.set(chatId, storedNumber(this.#context.intake, this.consumer, topicKey(chatId)));
    }
    return this.#topics.get(chatId);
  }

  #changesOf(topics: Topics): Record<string, string | null> {
    const changed = Array.from(topics).filter(([chatId, topicId]) => this.topicOf(chatId) !== topicId);
    return Object.fromEntries(
      changed.map(([chatId, topicId]) => [topicKey(chatId), topicId === undefined ? null : String(topicId)]),
    );
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
    // Said in both chats; either may be the one that arrives.
    if (message?.migrate_from_chat_id !== undefined) {
      await this.#subscriberOf(message.migrate_from_chat_id)?.migrated(message.chat.id);
    }
  }

  #subscriberOf(chatId: number | undefined): Subscriber | undefined {
    return Array.from(this.#subscribers).find(({ binding }) => binding.chatId === chatId);
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
    if (isRefusal(error, 'polled_elsewhere')) return this.#conflicts.another();
    return undefined;
  }
}

function topicKey(chatId: number): string {
  return `topic/${String(chatId)}`;
}
