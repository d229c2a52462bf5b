import type { Api } from 'grammy';
import type { Message } from 'grammy/types';
import type { Readable } from 'node:stream';
import { describeError, TargetRefusal, TransportError } from '../../base/errors.js';
import { StoreError } from '../../store/store.js';
import type { Spacing } from '../spacing.js';
import { wellFormed } from '../split-text.js';
import type {
  AccountHandle,
  BindingState,
  OutboundMessage,
  OutboundPart,
  Receipt,
  RemoteAttachment,
  StreamCapable,
  TargetContext,
  TargetSession,
  TypingCapable,
} from '../target.js';
import { bindingFromJson, bindingToJson, type TelegramBinding } from './binding.js';
import { StoredBlock } from './block.js';
import type { Bot, Subscriber } from './bot.js';
import { CALL_DEADLINE_MS, UPLOAD_DEADLINE_MS, type GrammyModule } from './client.js';
import { downloadFile } from './download.js';
import { isRefusal, TelegramRefusal } from './errors.js';
import { mediaKindOf, planMessage, quotedFilename, type MediaKind } from './outbound.js';
import type { ChatAddress, ChatCalls } from './chat-calls.js';
import type { ExpectedChat } from './strays.js';
import { TelegramStream } from './stream.js';

/** Telegram's published pace: about one message a second in a chat, 20 a minute in a group, 30 a second in all. */
const PRIVATE_INTERVAL_MS = 1_000;
const GROUP_INTERVAL_MS = 3_000;
const BOT_INTERVAL_MS = 34;
/** A wait that Telegram asks for and that is shorter than this is waited for here; a longer one is the caller's. */
const MAX_PATIENCE_MS = 5_000;
/** A typing indicator fades after five seconds. */
const TYPING_KEEP_ALIVE_MS = 4_000;
/** Repeats of one call after a refusal that told how to do better: migration, a lost topic, a short wait. */
const MAX_REPEATS = 3;

type FilePart = Extract<OutboundPart, { kind: 'file' }>;

/** What a person reads whose chat was bound by a pairing code, in the language of their Telegram. */
const GREETING = {
  en: 'Connected. You can write to me here now.',
  zh: '已连接。现在可以在这里给我发消息了。',
} as const;

/** One account at work: a chat of a bot. */
export class TelegramSession implements TargetSession, Subscriber, ChatCalls {
  readonly idempotentSends = false;
  readonly accountId: string;
  readonly token: string;
  readonly typing: TypingCapable;
  readonly stream: StreamCapable;
  binding: TelegramBinding;
  readonly #account: AccountHandle;
  readonly #context: TargetContext;
  readonly #bot: Bot;
  readonly #spacing: Spacing;
  /** Parts that have waited for their turn. */
  readonly #inTurn = new WeakSet<OutboundPart>();
  #topicId: number | undefined;
  #polling: BindingState | undefined;
  readonly #block: StoredBlock;
  #blockedSince: number | undefined;
  /** The block is one of an earlier run, and may have ended since. */
  #isBlockOld: boolean;

  constructor(account: AccountHandle, bot: Bot, token: string, spacing: Spacing, context: TargetContext) {
    this.accountId = account.accountId;
    this.token = token;
    this.binding = bindingFromJson(account.binding);
    this.#account = account;
    this.#bot = bot;
    this.#spacing = spacing;
    this.#context = context;
    this.#topicId = bot.topicOf(this.binding.chatId);
    this.#block = new StoredBlock(context.intake, bot.consumer, context.log);
    this.#blockedSince = this.#block.of(this.binding.chatId);
    this.#isBlockOld = this.#blockedSince !== undefined;
    this.typing = {
      keepAliveMs: TYPING_KEEP_ALIVE_MS,
      show: () => this.#showTyping(),
      // Telegram has no call for it: the indicator goes with the next message, or fades.
      clear: async () => undefined,
    };
    this.stream = new TelegramStream(this, bot, this.#interval, context.random);
    bot.attach(this);
  }

  get lastRoundTripAt(): number | undefined {
    return this.#bot.lastRoundTripAt;
  }

  plan(message: OutboundMessage): readonly OutboundPart[] {
    return planMessage(message);
  }

  async prepare(part: OutboundPart, signal: AbortSignal): Promise<void> {
    await this.#turn(signal);
    this.#inTurn.add(part);
  }

  async send(part: OutboundPart, _key: string, signal: AbortSignal): Promise<Receipt> {
    if (part.kind === 'file') return this.#sendFile(part, signal);
    // Telegram takes no message of spaces alone; between two parts of a text nobody misses them.
    if (part.text.trim() === '') return { messageId: undefined };
    return receiptOf(await this.#sendText(part, wellFormed(part.text), signal));
  }

  fetch(attachment: RemoteAttachment, signal: AbortSignal): Promise<Readable> {
    return downloadFile(this.#bot.client, attachment, signal);
  }

  async close(): Promise<void> {
    await this.#bot.detach(this);
  }

  /**
   * Makes a call that shows something in the chat: in its turn, and again where a refusal says how.
   * @param options.part what is sent, whose turn may have been waited for
   * @throws TargetRefusal, TransportError
   */
  async call<T>(
    run: (api: Api, to: ChatAddress, grammy: GrammyModule) => Promise<T>,
    signal?: AbortSignal,
    { deadlineMs = CALL_DEADLINE_MS, part }: { deadlineMs?: number; part?: OutboundPart } = {},
  ): Promise<T> {
    for (let repeats = 0; ; repeats += 1) {
      // A turn that was waited for serves one call.
      if (part === undefined || !this.#inTurn.delete(part)) await this.#turn(signal);
      try {
        const result = await this.#bot.client.call(
          (api, grammy) => run(api, this.#address(), grammy),
          signal,
          deadlineMs,
        );
        this.reachable(true);
        return result;
      } catch (error) {
        const again = repeats < MAX_REPEATS && (await this.#mend(error));
        if (!again) throw error;
      }
    }
  }

  // ------------------------------------------------------------ what the bot tells

  polling(state: BindingState): void {
    this.#polling = state;
    this.#report();
    if (this.#isBlockOld && state.status === 'connected') void this.#askAboutBlock();
  }

  reachable(reachable: boolean): void {
    if (reachable === (this.#blockedSince === undefined)) return;
    this.#blockedSince = reachable ? undefined : this.#context.clock.now();
    this.#isBlockOld = false;
    this.#block.note(this.binding.chatId, this.#blockedSince);
    this.#report();
  }

  topic(topicId: number | undefined): void {
    this.#topicId = topicId;
  }

  /** Tells the person in Telegram that it worked; nothing depends on it. */
  paired({ languageCode }: ExpectedChat): void {
    const text = languageCode?.startsWith('zh') === true ? GREETING.zh : GREETING.en;
    this.call((api, { chat_id }) => api.sendMessage(chat_id, text)).catch((error: unknown) =>
      this.#context.log.info({ error: describeError(error) }, 'the pairing was not confirmed in the chat'),
    );
  }

  /** @throws StoreError when the disk refuses: the chat so far is then still the one in memory too */
  async migrated(chatId: number): Promise<void> {
    if (chatId === this.binding.chatId) return;
    const binding = { ...this.binding, chatId };
    await this.#account.updateBinding(bindingToJson(binding));
    // What was told of the former chat says nothing of this one.
    this.reachable(true);
    this.binding = binding;
    this.#topicId = undefined;
    this.#context.log.info({ accountId: this.accountId }, 'the group became a supergroup; its binding follows');
  }

  // ------------------------------------------------------------ parts

  async #sendText(part: OutboundPart, text: string, signal: AbortSignal): Promise<Message> {
    try {
      return await this.call((api, { chat_id, ...other }) => api.sendMessage(chat_id, text, other), signal, { part });
    } catch (error) {
      if (!isRefusal(error, 'entities_refused')) throw error;
      // A server that reads formatting into plain text is told that there is none.
      return this.call(
        (api, { chat_id, ...other }) => api.sendMessage(chat_id, text, { ...other, entities: [] }),
        signal,
      );
    }
  }

  async #sendFile(part: FilePart, signal: AbortSignal): Promise<Receipt> {
    const kind = mediaKindOf(part.file);
    try {
      return receiptOf(await this.#upload(kind, part, signal));
    } catch (error) {
      // Odd proportions, a codec, a person who takes no voice messages: as a document it always goes.
      if (kind === 'document' || !isRefusal(error, 'media_refused')) throw error;
      return receiptOf(await this.#upload('document', part, signal));
    }
  }

  #upload(kind: MediaKind, part: FilePart, signal: AbortSignal): Promise<Message> {
    const { file, caption } = part;
    return this.call<Message>(
      (api, { chat_id, ...to }, grammy) => {
        const input = new grammy.InputFile(file.path, quotedFilename(file.filename));
        const other = caption === undefined ? to : { ...to, caption: wellFormed(caption) };
        switch (kind) {
          case 'photo':
            return api.sendPhoto(chat_id, input, other);
          case 'animation':
            return api.sendAnimation(chat_id, input, other);
          case 'video':
            return api.sendVideo(chat_id, input, { ...other, supports_streaming: true });
          case 'audio':
            return api.sendAudio(chat_id, input, other);
          case 'voice':
            return api.sendVoice(chat_id, input, other);
          case 'document':
            return api.sendDocument(chat_id, input, other);
        }
      },
      signal,
      { deadlineMs: UPLOAD_DEADLINE_MS, part },
    );
  }

  async #showTyping(): Promise<void> {
    if (this.#blockedSince !== undefined) return;
    const { chat_id, ...other } = this.#address();
    try {
      await this.#bot.client.call((api) => api.sendChatAction(chat_id, 'typing', other));
    } catch (error) {
      this.#context.log.debug({ error: describeError(error) }, 'typing was not shown');
    }
  }

  /**
   * Telegram keeps what happens for a day: a block may have ended while nobody listened. No other call asks and leaves so little
   * behind.
   */
  async #askAboutBlock(): Promise<void> {
    this.#isBlockOld = false;
    const { chat_id, ...other } = this.#address();
    try {
      await this.#bot.client.call((api) => api.sendChatAction(chat_id, 'typing', other));
      this.reachable(true);
    } catch (error) {
      this.#isBlockOld = this.#blockedSince !== undefined && error instanceof TransportError;
      this.#context.log.debug({ error: describeError(error) }, 'whether the chat still blocks the bot was not told');
    }
  }

  // ------------------------------------------------------------ calls

  #address(): ChatAddress {
    const chat_id = this.binding.chatId;
    return this.#topicId === undefined ? { chat_id } : { chat_id, message_thread_id: this.#topicId };
  }

  get #interval(): number {
    return this.binding.chatType === 'group' ? GROUP_INTERVAL_MS : PRIVATE_INTERVAL_MS;
  }

  get #spacingKey(): string {
    return `${this.#bot.consumer}/${String(this.binding.chatId)}`;
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    await this.#spacing.turn(this.#spacingKey, this.#interval, signal);
    await this.#spacing.turn(this.#bot.consumer, BOT_INTERVAL_MS, signal);
  }

  /** Draws the consequences of a refusal; true when the same call may go again at once. */
  async #mend(error: unknown): Promise<boolean> {
    if (!(error instanceof TargetRefusal)) return false;
    if (error.account === 'blocked') this.reachable(false);
    // The poll finds the refusal too, and decides what it means for every account of the bot.
    if (error.account === 'revoked') this.#bot.wake();
    if (error instanceof TelegramRefusal && error.migrateTo !== undefined) {
      await this.#follow(error.migrateTo);
      return true;
    }
    if (isRefusal(error, 'topic_gone') && this.#topicId !== undefined) {
      this.#topicId = undefined;
      return true;
    }
    if (error.retryAfterMs === undefined) return false;
    this.#spacing.hold(this.#spacingKey, error.retryAfterMs);
    return error.retryAfterMs <= MAX_PATIENCE_MS;
  }

  /** Telegram has refused the send, so that nothing was sent when the disk refuses the new chat. */
  async #follow(chatId: number): Promise<void> {
    try {
      await this.migrated(chatId);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      throw new TransportError(`store_${error.code}`, 'The new chat of the group could not be stored', {
        effect: 'none',
      });
    }
  }

  #report(): void {
    if (!this.#polling) return;
    const since = this.#blockedSince;
    const blocked = since !== undefined && this.#polling.status === 'connected';
    this.#account.report(blocked ? { status: 'offline', code: 'blocked', since } : this.#polling);
  }
}

function receiptOf({ message_id }: { message_id: number }): Receipt {
  return { messageId: String(message_id) };
}
