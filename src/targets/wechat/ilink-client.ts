import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { httpRequest } from '../http-request.js';
import { badAnswer, readAnswer } from './answer.js';
import { numberOf, textOf, type Fields } from '../json-fields.js';
import { idOf } from './ids.js';
import { APP_ID, BOT_TYPE, clientVersion, type WireVersions } from './versions.js';
import { MessageState, MessageType, type OutboundItem, type QrCode, type QrStatus, type UpdateBatch } from './wire.js';

/** Client-side deadlines, milliseconds; a long poll gets the server's hold plus a margin, or the client loses the race. */
export const CALL_TIMEOUT_MS = 15_000;
export const SHORT_CALL_TIMEOUT_MS = 10_000;
export const DEFAULT_HOLD_MS = 35_000;
export const HOLD_MARGIN_MS = 7_500;
/** A stopping program has seconds; milliseconds. */
const STOP_NOTICE_TIMEOUT_MS = 2_500;
/** A batch holds long texts and quotes; the cap only guards memory. Bytes. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** The server looks at no more tokens than this. */
const MAX_KNOWN_TOKENS = 10;

export interface BotSession {
  readonly baseUrl: string;
  readonly token: string;
}

export interface OutgoingMessage {
  readonly to: string;
  /** The same on every try of the same send. */
  readonly clientId: string;
  readonly item: OutboundItem;
  readonly contextToken: string | undefined;
}

/**
 * The iLink bot API, one method a call. Every answer goes through {@link readAnswer}, because failures arrive as HTTP 200.
 * Redirects are answered as errors, never followed: they would carry the token along.
 * All methods throw TargetRefusal and TransportError.
 */
export class IlinkClient {
  readonly #clock: Clock;
  readonly #wayOut: WayOut;
  readonly #versions: WireVersions;

  constructor(clock: Clock, wayOut: WayOut, versions: WireVersions) {
    this.#clock = clock;
    this.#wayOut = wayOut;
    this.#versions = versions;
  }

  /** @param knownTokens tokens signed in here, newest first: lets the server answer `binded_redirect` */
  async getQrCode(baseUrl: string, knownTokens: readonly string[], signal: AbortSignal): Promise<QrCode> {
    const answer = await this.#post(`${baseUrl}/ilink/bot/get_bot_qrcode?bot_type=${BOT_TYPE}`, undefined, {
      body: { local_token_list: knownTokens.slice(0, MAX_KNOWN_TOKENS) },
      timeoutMs: CALL_TIMEOUT_MS,
      signal,
    });
    const handle = textOf(answer['qrcode']);
    const text = textOf(answer['qrcode_img_content']);
    if (handle === undefined || text === undefined) throw badAnswer();
    return { handle, text };
  }

  /** Long-polls the state of a QR. A timeout or a broken line is a TransportError: the caller polls again. */
  async getQrStatus(
    baseUrl: string,
    handle: string,
    verifyCode: string | undefined,
    signal: AbortSignal,
  ): Promise<QrStatus> {
    const url = new URL(`${baseUrl}/ilink/bot/get_qrcode_status`);
    url.searchParams.set('qrcode', handle);
    if (verifyCode !== undefined) url.searchParams.set('verify_code', verifyCode);
    const { status, body } = await httpRequest(
      this.#clock,
      {
        method: 'GET',
        url,
        wayOut: this.#wayOut,
        headers: this.#appHeaders(),
        timeoutMs: DEFAULT_HOLD_MS + HOLD_MARGIN_MS,
        signal,
      },
      MAX_ANSWER_BYTES,
    );
    return readQrStatus(readAnswer(status, body));
  }

  /** Tells the server that a client is there. */
  async notifyStart(bot: BotSession, signal: AbortSignal): Promise<void> {
    await this.#call(bot, 'msg/notifystart', {}, SHORT_CALL_TIMEOUT_MS, signal);
  }

  /** Tells the server that the client goes; bounded to {@link STOP_NOTICE_TIMEOUT_MS}. */
  async notifyStop(bot: BotSession): Promise<void> {
    await this.#call(bot, 'msg/notifystop', {}, STOP_NOTICE_TIMEOUT_MS);
  }

  async getUpdates(bot: BotSession, cursor: string, holdMs: number, signal: AbortSignal): Promise<UpdateBatch> {
    const fields = { get_updates_buf: cursor };
    const answer = await this.#call(bot, 'getupdates', fields, holdMs + HOLD_MARGIN_MS, signal);
    const entries: unknown = answer['msgs'];
    return {
      entries: Array.isArray(entries) ? entries : [],
      cursor: textOf(answer['get_updates_buf']),
      holdMs: numberOf(answer['longpolling_timeout_ms']),
    };
  }

  /** @returns the server's message id; undefined when it accepted without naming one */
  async sendMessage(bot: BotSession, message: OutgoingMessage, signal: AbortSignal): Promise<string | undefined> {
    const { to, clientId, item, contextToken } = message;
    const msg = {
      from_user_id: '',
      to_user_id: to,
      client_id: clientId,
      message_type: MessageType.bot,
      message_state: MessageState.finish,
      item_list: [item],
      ...(contextToken === undefined ? {} : { context_token: contextToken }),
    };
    const answer = await this.#call(bot, 'sendmessage', { msg }, CALL_TIMEOUT_MS, signal);
    return idOf(answer['message_id']);
  }

  async getUploadUrl(
    bot: BotSession,
    request: Fields,
    signal: AbortSignal,
  ): Promise<{ fullUrl: string | undefined; param: string | undefined }> {
    const answer = await this.#call(bot, 'getuploadurl', request, CALL_TIMEOUT_MS, signal);
    const urls = { fullUrl: textOf(answer['upload_full_url'])?.trim(), param: textOf(answer['upload_param']) };
    if (urls.fullUrl === undefined && urls.param === undefined) throw badAnswer();
    return urls;
  }

  /** @returns the typing ticket, where the server gives one */
  async getConfig(
    bot: BotSession,
    userId: string,
    contextToken: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const fields = {
      ilink_user_id: userId,
      ...(contextToken === undefined ? {} : { context_token: contextToken }),
    };
    const answer = await this.#call(bot, 'getconfig', fields, SHORT_CALL_TIMEOUT_MS, signal);
    return textOf(answer['typing_ticket']);
  }

  async sendTyping(bot: BotSession, userId: string, ticket: string, status: 1 | 2, signal: AbortSignal): Promise<void> {
    const fields = { ilink_user_id: userId, typing_ticket: ticket, status };
    await this.#call(bot, 'sendtyping', fields, SHORT_CALL_TIMEOUT_MS, signal);
  }

  #call(bot: BotSession, path: string, fields: Fields, timeoutMs: number, signal?: AbortSignal): Promise<Fields> {
    const { channelVersion, botAgent } = this.#versions;
    return this.#post(`${bot.baseUrl}/ilink/bot/${path}`, bot.token, {
      body: { ...fields, base_info: { channel_version: channelVersion, bot_agent: botAgent } },
      timeoutMs,
      signal,
    });
  }

  async #post(
    url: string,
    token: string | undefined,
    call: { readonly body: Fields; readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
  ): Promise<Fields> {
    const { status, body } = await httpRequest(
      this.#clock,
      {
        method: 'POST',
        url: new URL(url),
        wayOut: this.#wayOut,
        headers: {
          ...this.#appHeaders(),
          'Content-Type': 'application/json',
          AuthorizationType: 'ilink_bot_token',
          // A fresh random number on every request; it is not an identity.
          'X-WECHAT-UIN': Buffer.from(String(randomBytes(4).readUInt32BE(0))).toString('base64'),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(call.body),
        timeoutMs: call.timeoutMs,
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      },
      MAX_ANSWER_BYTES,
    );
    return readAnswer(status, body);
  }

  #appHeaders(): Record<string, string> {
    return { 'iLink-App-Id': APP_ID, 'iLink-App-ClientVersion': clientVersion(this.#versions.channelVersion) };
  }
}

function readQrStatus(answer: Fields): QrStatus {
  const status = textOf(answer['status']);
  switch (status) {
    case 'scaned':
    case 'need_verifycode':
    case 'verify_code_blocked':
    case 'expired':
    case 'binded_redirect':
      return { status };
    case 'scaned_but_redirect':
      return { status, redirectHost: textOf(answer['redirect_host']) };
    case 'confirmed': {
      const botToken = textOf(answer['bot_token']);
      const botId = textOf(answer['ilink_bot_id']);
      const userId = textOf(answer['ilink_user_id']);
      const isComplete = botToken !== undefined && botId !== undefined && userId !== undefined;
      return {
        status,
        login: isComplete ? { botToken, botId, userId, baseUrl: textOf(answer['baseurl']) } : undefined,
      };
    }
    default:
      return { status: 'wait' };
  }
}
