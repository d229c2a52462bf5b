import type { Readable } from 'node:stream';
import { sleep } from '../../base/clock.js';
import { TargetRefusal } from '../../base/errors.js';
import type { Spacing } from '../spacing.js';
import { wellFormed } from '../split-text.js';
import type {
  AccountHandle,
  BindingState,
  OutboundMessage,
  OutboundPart,
  Receipt,
  RemoteAttachment,
  TargetContext,
  TargetSession,
} from '../target.js';
import { FeishuApi, type MessageContent } from './api.js';
import { consumerOf, readBinding, type FeishuBinding } from './binding.js';
import { CardStream } from './card-stream.js';
import { FeishuClient } from './client.js';
import { isRefusal } from './errors.js';
import type { GroupMessages } from './inbound.js';
import { Line } from './line.js';
import { fetchResource } from './media.js';
import { isPicture, planMessage } from './outbound.js';
import type { PingRules } from './ping-pace.js';
import type { LoadSdk } from './sdk.js';
import { Typing } from './typing.js';

/** A person is written to at most five times a second, by all bots together. Milliseconds. */
const SEND_INTERVAL_MS = 220;
/** A closing session waits this long for its typing reaction to go; milliseconds. */
const CLOSE_PATIENCE_MS = 2_000;
/** Feishu remembers the id of a message for an hour; a little less is counted on. Milliseconds. */
const IDEMPOTENT_FOR_MS = 50 * 60_000;

export interface SessionDeps {
  readonly context: TargetContext;
  readonly apiBaseUrlOf: (binding: FeishuBinding) => string;
  readonly groups: GroupMessages;
  readonly ping: PingRules;
  readonly spacing: Spacing;
  readonly load: LoadSdk;
}

/** One account at work: the app that a person made, and their direct chat with it. */
export class FeishuSession implements TargetSession {
  readonly idempotentSends = true;
  readonly idempotentForMs = IDEMPOTENT_FOR_MS;
  readonly typing: Typing;
  readonly stream: CardStream;
  readonly #account: AccountHandle;
  readonly #deps: SessionDeps;
  readonly #binding: FeishuBinding;
  readonly #api: FeishuApi;
  readonly #line: Line;
  readonly #onClose: () => void;
  #standing: BindingState | undefined;
  /** Files that are uploaded, by the part that shows them. */
  readonly #uploaded = new WeakMap<OutboundPart, MessageContent>();
  #blockedSince: number | undefined;
  #closing: Promise<void> | undefined;

  /** @throws TypeError when the stored account is damaged */
  constructor(account: AccountHandle, deps: SessionDeps, onClose: () => void) {
    const { context } = deps;
    this.#account = account;
    this.#deps = deps;
    this.#onClose = onClose;
    this.#binding = readBinding(account.binding);
    const { appSecret } = account.credentials;
    if (appSecret === undefined) throw new TypeError('not the credentials of a Feishu sign-in');
    const { appId } = this.#binding;
    const access = { appId, appSecret, apiBaseUrl: deps.apiBaseUrlOf(this.#binding) };
    const client = new FeishuClient(access, { ...context, load: deps.load });
    this.#api = new FeishuApi(client);
    const shared = { api: this.#api, intake: context.intake, consumer: consumerOf(appId), log: context.log };
    this.typing = new Typing(shared);
    this.stream = new CardStream({
      ...shared,
      clock: context.clock,
      send: (cardId, uuid, signal) => this.#write({ type: 'card', cardId }, uuid, signal),
    });
    this.#line = new Line({
      context,
      account,
      binding: this.#binding,
      client,
      api: this.#api,
      groups: deps.groups,
      ping: deps.ping,
      load: deps.load,
      report: (state) => this.#stand(state),
      // Whoever writes takes answers again, as far as is known; no call asks, and a tool would not be tried while this is offline.
      onDirect: () => this.#reachable(true),
    });
  }

  get lastRoundTripAt(): number | undefined {
    return this.#line.lastRoundTripAt;
  }

  plan(message: OutboundMessage): readonly OutboundPart[] {
    return planMessage(message);
  }

  async prepare(part: OutboundPart, signal: AbortSignal): Promise<void> {
    const content = part.kind === 'file' ? await this.#contentOf(part, signal) : undefined;
    if (content) this.#uploaded.set(part, content);
  }

  async send(part: OutboundPart, key: string, signal: AbortSignal): Promise<Receipt> {
    const content = this.#uploaded.get(part) ?? (await this.#contentOf(part, signal));
    // A message of spaces alone is none to Feishu; between two parts of a text nobody misses it.
    return content ? this.#write(content, key, signal) : { messageId: undefined };
  }

  fetch(attachment: RemoteAttachment, signal: AbortSignal): Promise<Readable> {
    return fetchResource(this.#api, attachment, signal);
  }

  wake(): void {
    this.#line.wake();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#onClose();
    const patience = new AbortController();
    const waited = sleep(this.#deps.context.clock, CLOSE_PATIENCE_MS, patience.signal).catch(() => undefined);
    await Promise.race([this.typing.clear(), waited]);
    patience.abort();
    await this.#line.stop();
  }

  async #contentOf(part: OutboundPart, signal: AbortSignal): Promise<MessageContent | undefined> {
    if (part.kind === 'text') {
      return part.text.trim() === '' ? undefined : { type: 'text', text: wellFormed(part.text) };
    }
    if (!isPicture(part.file)) return { type: 'file', key: await this.#api.uploadFile(part.file, signal) };
    try {
      return { type: 'image', key: await this.#api.uploadImage(part.file, signal) };
    } catch (error) {
      // Too many pixels, or a kind of picture that it does not know: as a file it always goes.
      if (!isRefusal(error, 'media_refused', 'file_too_large')) throw error;
      return { type: 'file', key: await this.#api.uploadFile(part.file, signal) };
    }
  }

  async #write(content: MessageContent, uuid: string, signal: AbortSignal): Promise<Receipt> {
    const { ownerId } = this.#binding;
    await this.#deps.spacing.turn(ownerId, SEND_INTERVAL_MS, signal);
    try {
      const messageId = await this.#api.send(ownerId, content, uuid, signal);
      this.#reachable(true);
      return { messageId };
    } catch (error) {
      this.#learn(error);
      throw error;
    }
  }

  #learn(error: unknown): void {
    if (!(error instanceof TargetRefusal)) return;
    if (error.code === 'rate_limited' && error.retryAfterMs !== undefined) {
      this.#deps.spacing.hold(this.#binding.ownerId, error.retryAfterMs);
    }
    if (error.account === 'blocked') this.#reachable(false);
    // The line finds the refusal too, and ends the account or goes on.
    if (error.account === 'revoked') this.#line.wake();
  }

  #stand(state: BindingState): void {
    const isFresh = state.status === 'connected' && this.#standing?.status !== 'connected';
    this.#standing = state;
    if (isFresh) void this.typing.tidy();
    this.#report();
  }

  #reachable(isReachable: boolean): void {
    if (isReachable === (this.#blockedSince === undefined)) return;
    this.#blockedSince = isReachable ? undefined : this.#deps.context.clock.now();
    this.#report();
  }

  #report(): void {
    if (!this.#standing) return;
    const since = this.#blockedSince;
    const isBlocked = since !== undefined && this.#standing.status === 'connected';
    this.#account.report(isBlocked ? { status: 'offline', code: 'blocked', since } : this.#standing);
  }
}
