import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { describeError, TargetRefusal, TransportError } from '../../base/errors.js';
import type { Spacing } from '../spacing.js';
import type {
  AccountHandle,
  ExpiredState,
  Json,
  OutboundMessage,
  OutboundPart,
  Receipt,
  RemoteAttachment,
  ReplyWindow,
  ReplyWindowCapable,
  TargetContext,
  TargetSession,
} from '../target.js';
import { isStaleToken } from './answer.js';
import { readBinding } from './binding.js';
import { Conversation } from './conversation.js';
import { downloadMedia, readMediaLocator } from './download.js';
import type { BotSession, IlinkClient } from './ilink-client.js';
import { uploadMedia, type MediaDeps } from './upload.js';
import { planParts } from './plan.js';
import { QuoteCache } from './quotes.js';
import { Receiver, UNCONFIRMED_WARNING } from './receiver.js';
import { seal, unseal } from './sealed.js';
import type { TrustedHosts } from './trust.js';
import { Typing } from './typing.js';
import { ItemType, type OutboundItem } from './wire.js';

/** Least time between two sends to one person, milliseconds. */
export const SEND_INTERVAL_MS = 1_500;

export interface SessionDeps {
  readonly context: TargetContext;
  readonly client: IlinkClient;
  readonly media: MediaDeps;
  readonly spacing: Spacing;
  readonly trust: TrustedHosts;
}

/** One signed-in WeChat account: its poller, its right to reply, and its way out. */
export class WechatSession implements TargetSession {
  /** Whether the server treats our `client_id` as an idempotency key is not known, so a send in doubt stays in doubt. */
  readonly idempotentSends = false;
  readonly typing: Typing;
  readonly #deps: SessionDeps;
  readonly #bot: BotSession;
  readonly #userId: string;
  readonly #sealKey: string;
  readonly #conversation: Conversation;
  readonly #quotes: QuoteCache;
  readonly #receiver: Receiver;
  /** How many replies a planned part needs the network to take: itself and those after it. */
  readonly #repliesFrom = new WeakMap<OutboundPart, number>();
  /** Parts that are uploaded and have waited for their turn. */
  readonly #prepared = new WeakMap<OutboundPart, OutboundItem>();
  #unconfirmed = 0;
  readonly #onClose: () => void;

  /**
   * @param ended how its sign-in ended in an earlier run of the program; undefined while it is alive
   * @throws Error when the stored account is damaged; TargetRefusal when its server is not trusted any more
   */
  constructor(account: AccountHandle, deps: SessionDeps, onClose: () => void, ended?: ExpiredState) {
    this.#deps = deps;
    this.#onClose = onClose;
    const { context, client, trust } = deps;
    const binding = readBinding(account.binding);
    const { botToken, sealKey } = account.credentials;
    if (botToken === undefined || sealKey === undefined) throw new Error('not the credentials of a WeChat sign-in');
    this.#userId = binding.userId;
    // Checked again: the trusted hosts may have changed since the sign-in.
    this.#bot = { baseUrl: trust.checkBase(binding.baseUrl), token: botToken };
    this.#sealKey = sealKey;
    this.#conversation = new Conversation({
      userId: this.#userId,
      clock: context.clock,
      intake: context.intake,
      sealKey,
    });
    this.#quotes = new QuoteCache(context.intake, this.#conversation.consumer, sealKey);
    const shared = { client, bot: this.#bot, userId: this.#userId, conversation: this.#conversation };
    this.typing = new Typing({ ...shared, clock: context.clock, log: context.log });
    this.#receiver = new Receiver({
      ...shared,
      context,
      account,
      quotes: this.#quotes,
      mapping: {
        botId: binding.botId,
        sealLocator: (locator: Json) => seal(sealKey, JSON.stringify(locator)),
      },
      unconfirmed: () => this.#unconfirmed,
      ended,
    });
  }

  get lastRoundTripAt(): number | undefined {
    return this.#receiver.lastRoundTripAt;
  }

  get replies(): ReplyWindowCapable {
    return this.#conversation;
  }

  /** An ended sign-in takes no replies, whatever was left. */
  replyWindow(): ReplyWindow {
    const window = this.#conversation.window();
    return this.#receiver.hasEnded ? { ...window, remaining: 0 } : window;
  }

  plan(message: OutboundMessage): readonly OutboundPart[] {
    const parts = planParts(message);
    parts.forEach((part, index) => this.#repliesFrom.set(part, parts.length - index));
    return parts;
  }

  async prepare(part: OutboundPart, signal: AbortSignal): Promise<void> {
    this.#requireReplies(this.#repliesFrom.get(part) ?? 1);
    const item = await this.#itemOf(part, signal);
    await this.#deps.spacing.turn(this.#userId, SEND_INTERVAL_MS, signal);
    this.#prepared.set(part, item);
  }

  async send(part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt> {
    if (!this.#prepared.has(part)) await this.prepare(part, signal);
    const { client } = this.#deps;
    const item = this.#prepared.get(part);
    if (!item) throw new Error('a part was not prepared');
    this.#prepared.delete(part);
    try {
      const { contextToken } = this.#conversation;
      const message = { to: this.#userId, clientId: clientIdOf(key), item, contextToken };
      const messageId = await client.sendMessage(this.#bot, message, signal);
      this.#taken(messageId, part);
      return { messageId };
    } catch (error) {
      await this.#failed(error);
      throw error;
    }
  }

  fetch(attachment: RemoteAttachment, signal: AbortSignal): Promise<Readable> {
    const { locator } = attachment;
    const text = typeof locator === 'string' ? unseal(this.#sealKey, locator) : undefined;
    return downloadMedia(this.#deps.media, readMediaLocator(text), attachment.byteSize, signal);
  }

  wake(): void {
    this.#receiver.wake();
  }

  async close(): Promise<void> {
    this.#onClose();
    this.typing.close();
    await this.#receiver.stop();
  }

  /** Nothing is begun of which the end is known not to go through. */
  #requireReplies(needed: number): void {
    const { remaining } = this.#conversation.window();
    if (remaining >= needed) return;
    const message =
      remaining === 0
        ? 'WeChat takes no more replies until the person writes again'
        : `WeChat takes ${remaining} more replies until the person writes again, and this needs ${needed}`;
    throw new TargetRefusal('reply_window_closed', message, { retryable: false, awaitsPerson: true });
  }

  async #itemOf(part: OutboundPart, signal: AbortSignal): Promise<OutboundItem> {
    if (part.kind === 'text') return { type: ItemType.text, text_item: { text: part.text } };
    return uploadMedia(this.#deps.media, part.file, {
      bot: this.#bot,
      userId: this.#userId,
      sealKey: this.#sealKey,
      contextToken: this.#conversation.contextToken,
      signal,
    });
  }

  /**
   * The reply went through, whatever our own bookkeeping says: its failure must not make the part look undelivered. Nor is it
   * waited for, because until the caller knows, the part is in doubt: what is written here goes to the disk with what the caller
   * writes next.
   */
  #taken(messageId: string | undefined, part: OutboundPart): void {
    this.#countUnconfirmed(messageId);
    void this.#noted(() => this.#conversation.used());
    if (messageId === undefined || part.kind !== 'text') return;
    const remembered = this.#quotes.remember([{ ids: [messageId], text: part.text }]);
    const { consumer } = this.#conversation;
    void this.#noted(() => this.#deps.context.intake.commit({ consumer, state: remembered.state, messages: [] }));
    remembered.apply();
  }

  async #failed(error: unknown): Promise<void> {
    if (error instanceof TargetRefusal && error.code === 'reply_window') {
      await this.#noted(() => this.#conversation.exhausted());
    }
    // It may have been taken, and then counts there.
    if (error instanceof TransportError && error.effect === 'unknown') {
      await this.#noted(() => this.#conversation.used());
    }
    // The poller finds out for itself, and revives or ends the sign-in.
    if (isStaleToken(error)) this.#receiver.wake();
  }

  /** Replies without an id were seen to reach nobody, for weeks: one may be chance, several in a row are told. */
  #countUnconfirmed(messageId: string | undefined): void {
    const before = this.#unconfirmed;
    this.#unconfirmed = messageId === undefined ? before + 1 : 0;
    if (messageId === undefined) {
      this.#deps.context.log.warn({ inARow: this.#unconfirmed }, 'a reply was accepted without a message id');
    }
    if (before >= UNCONFIRMED_WARNING !== this.#unconfirmed >= UNCONFIRMED_WARNING) this.#receiver.restate();
  }

  async #noted(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#deps.context.log.warn({ error: describeError(error) }, 'what became of a reply could not be stored');
    }
  }
}

/** The same part of the same message has the same id on every try. */
function clientIdOf(key: string): string {
  return `xagent-connector:${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}
