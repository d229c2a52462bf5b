import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { Cdn, type KeyForm } from './cdn.js';
import { serveCdn } from './cdn-server.js';
import { FaultScript } from './faults.js';
import { Inbox, textItem } from './inbox.js';
import { Logins, type Bot } from './login.js';
import { Phone } from './phone.js';
import { checkBaseInfo, checkEnvelope, checkGet, checkUploadRequest, isRecord, PostRules, type Json } from './rules.js';

/** The person whose phone this is. Ids are case-sensitive. */
export const PERSON = 'o9cq8xYz_AbC@im.wechat';

const UNTIL_TIMEOUT_MS = 10_000;
const UNTIL_STEP_MS = 5;

export interface Call {
  /** Last part of the path, such as `sendmessage`. */
  readonly endpoint: string;
  readonly body: Json;
  readonly port: number;
}

export async function startIlinkSimulator(clock: Clock = systemClock): Promise<IlinkSimulator> {
  const simulator = new IlinkSimulator(clock);
  await simulator.listen();
  return simulator;
}

/** What an endpoint answers: JSON, or nothing because the client has left. */
type Reply = { readonly body: unknown } | { readonly raw: string } | 'gone';

export class IlinkSimulator {
  readonly faults = new FaultScript();
  readonly calls: Call[] = [];
  /** Everything a client did that the real server would not take, in words. A test fails on any. */
  readonly violations: string[] = [];
  readonly cdn = new Cdn();
  readonly phone = new Phone(this.cdn);
  readonly logins: Logins;
  readonly inbox: Inbox;
  /** Whether accepted messages get an id. */
  namesMessages = true;
  /** Whether ids are written as bare numbers, as protobuf JSON may, or quoted. */
  bareIds = true;
  /** The phone-side time of messages, Unix ms; undefined leaves it out. */
  stampsTime = true;
  readonly #clock: Clock;
  readonly #post = new PostRules();
  readonly #api: Server;
  readonly #cdnServer: Server;
  readonly #statusWaiters = new Set<() => void>();
  readonly #polls = new Set<ServerResponse>();
  #held: (() => void)[] = [];
  #ticket = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.inbox = new Inbox(clock);
    this.logins = new Logins(() => {
      for (const wake of [...this.#statusWaiters]) wake();
    });
    this.#api = createServer((request, response) => void this.#serve(request, response));
    this.#cdnServer = createServer((request, response) => void this.#serve(request, response));
  }

  get apiBaseUrl(): string {
    return `http://127.0.0.1:${String(portOf(this.#api))}`;
  }

  get cdnBaseUrl(): string {
    return `http://127.0.0.1:${String(this.cdnPort)}/c2c`;
  }

  get apiPort(): number {
    return portOf(this.#api);
  }

  /** A second trusted address, where media is and where a redirect may lead. */
  get cdnPort(): number {
    return portOf(this.#cdnServer);
  }

  async listen(): Promise<void> {
    for (const server of [this.#api, this.#cdnServer]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
  }

  async close(): Promise<void> {
    const closed = [this.#api, this.#cdnServer].map((server) => new Promise((resolve) => server.close(resolve)));
    this.release();
    this.#api.closeAllConnections();
    this.#cdnServer.closeAllConnections();
    await Promise.all(closed);
  }

  // ------------------------------------------------------------ the person

  /** The person writes text; returns the entry as the batch carries it. */
  say(text: string, more: Json = {}): Json {
    return this.send([textItem(text)], more);
  }

  /** The person sends any items. */
  send(items: readonly unknown[], more: Json = {}): Json {
    const entry = this.entry(items, more);
    this.inbox.push(entry);
    return entry;
  }

  /** A message of the person, not on its way yet. */
  entry(items: readonly unknown[], more: Json = {}): Json {
    return {
      message_id: this.inbox.newId(),
      from_user_id: PERSON,
      to_user_id: this.logins.bots.at(-1)?.botId,
      message_type: 1,
      message_state: 2,
      ...(this.stampsTime ? { create_time_ms: this.#clock.now() } : {}),
      item_list: items,
      context_token: this.phone.opened(),
      ...more,
    };
  }

  sendImage(bytes: Buffer, form: KeyForm = 'hexField'): Json {
    return this.send([{ type: 2, image_item: { ...this.cdn.add(bytes, form), mid_size: bytes.length } }]);
  }

  sendFile(bytes: Buffer, name: string, form: KeyForm = 'base64Hex'): Json {
    const file_item = { ...this.cdn.add(bytes, form), file_name: name, len: String(bytes.length) };
    return this.send([{ type: 4, file_item }]);
  }

  // ------------------------------------------------------------ what can be seen

  get shownTexts(): string[] {
    return this.phone.shown.map(({ text, kind }) => (kind === 'text' ? text : `[${kind}]`));
  }

  callsOf(endpoint: string): Call[] {
    return this.calls.filter((call) => call.endpoint === endpoint);
  }

  async until(condition: () => boolean, timeoutMs = UNTIL_TIMEOUT_MS): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!condition()) {
      if (performance.now() > end) throw new Error('the simulator waited in vain');
      await new Promise((resolve) => setTimeout(resolve, UNTIL_STEP_MS));
    }
  }

  /** The line of every poll that waits is cut, so that the client asks again. */
  cutPolls(): void {
    for (const response of this.#polls) response.destroy();
  }

  /** Answers what `holdAfter` kept. */
  release(): void {
    for (const give of this.#held.splice(0)) give();
  }

  // ------------------------------------------------------------ the server

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const bytes = await readAll(request);
      // Whether there is a server at all, asked without any key: no call of the network's.
      if (request.method === 'GET' && url.pathname === '/' && request.headers.authorization === undefined) {
        return void response.writeHead(404).end();
      }
      const endpoint = url.pathname.split('/').pop() ?? '';
      const fault = this.faults.take(endpoint);
      if (fault?.kind === 'hang') return;
      if (fault?.kind === 'cutBefore') return void request.socket.destroy();
      if (url.pathname.startsWith('/c2c/')) {
        this.violations.push(...serveCdn(this.cdn, { request, response, url, body: bytes, fault }));
        return;
      }
      const body = parseBody(bytes);
      const port = request.socket.localPort ?? 0;
      this.calls.push({ endpoint, body, port });
      if (fault?.kind === 'garbage') return void response.writeHead(fault.status ?? 200, fault.headers).end(fault.body);
      if (fault?.kind === 'answer') return void response.end(JSON.stringify(fault.body));
      const reply = await this.#reply(request, response, url, endpoint, body);
      if (reply === 'gone') return;
      const text = 'raw' in reply ? reply.raw : JSON.stringify(reply.body);
      const give = (): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
      if (fault?.kind === 'holdAfter') return void this.#held.push(give);
      if (fault?.kind === 'slow') return void this.#clock.after(fault.ms, give);
      if (fault?.kind === 'cutAfter') return void request.socket.destroy();
      if (fault?.kind === 'truncate') {
        response.writeHead(200, { 'content-length': String(text.length + 64) }).write(text.slice(0, text.length / 2));
        return void setImmediate(() => request.socket.destroy());
      }
      give();
    } catch {
      request.socket.destroy();
    }
  }

  async #reply(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    endpoint: string,
    body: Json,
  ): Promise<Reply> {
    const { headers } = request;
    if (endpoint === 'get_qrcode_status') {
      this.#hold(request, 'GET', checkGet(headers));
      return this.#qrStatus(url, request.socket.localPort ?? 0, response);
    }
    if (endpoint === 'get_bot_qrcode') {
      this.#hold(request, 'POST', this.#post.check(headers, false));
      return this.#newQr(url, body);
    }
    this.#hold(request, 'POST', [...this.#post.check(headers, true), ...checkBaseInfo(body, headers)]);
    const bot = this.#botOf(headers.authorization ?? '');
    if (!bot) return { body: { errcode: -14, errmsg: 'session timeout' } };
    switch (endpoint) {
      case 'notifystart':
      case 'notifystop':
        return { body: { ret: 0 } };
      case 'getupdates':
        return this.#updates(body, response);
      case 'sendmessage':
        return this.#message(request, bot, body);
      case 'getuploadurl':
        return this.#uploadUrl(request, bot, body);
      case 'getconfig':
        return this.#config(bot, body);
      case 'sendtyping':
        return this.#typing(request, bot, body);
      default:
        this.#hold(request, 'POST', ['there is no such endpoint']);
        return { body: { ret: -1 } };
    }
  }

  #hold(request: IncomingMessage, method: string, faults: readonly string[]): void {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (request.method !== method) this.violations.push(`${path}: ${String(request.method)} instead of ${method}`);
    this.violations.push(...faults.map((fault) => `${path}: ${fault}`));
  }

  #botOf(authorization: string): Bot | undefined {
    const token = authorization.replace(/^Bearer /, '');
    return this.logins.live.has(token) ? this.logins.bots.find((bot) => bot.token === token) : undefined;
  }

  #newQr(url: URL, body: Json): Reply {
    if (url.searchParams.get('bot_type') !== '3') return { body: { ret: 2 } };
    const tokens: unknown = body['local_token_list'];
    if (!Array.isArray(tokens) || tokens.length > 10 || !tokens.every((token) => typeof token === 'string')) {
      this.violations.push('get_bot_qrcode: local_token_list is no list of at most ten tokens');
    }
    const qr = this.logins.newQr(Array.isArray(tokens) ? tokens.map(String) : []);
    return { body: { ret: 0, qrcode: qr.handle, qrcode_img_content: qr.text } };
  }

  async #qrStatus(url: URL, port: number, response: ServerResponse): Promise<Reply> {
    const qr = this.logins.shown.find(({ handle }) => handle === url.searchParams.get('qrcode'));
    if (!qr) return { body: { ret: 0, status: 'expired' } };
    if (qr.onlyAt !== undefined && qr.onlyAt !== port && qr.told !== undefined && qr.told['status'] !== 'wait') {
      this.violations.push('get_qrcode_status: not at the host it was sent to');
    }
    const code = url.searchParams.get('verify_code');
    if (code !== null) this.logins.tryCode(qr, code);
    const gone = await this.#untilStatusChanges(() => qr.status !== qr.told, response);
    if (gone) return 'gone';
    const isNews = qr.status !== qr.told;
    qr.told = qr.status;
    return { body: isNews || qr.status['status'] !== 'wait' ? qr.status : { status: 'wait' } };
  }

  #untilStatusChanges(changed: () => boolean, response: ServerResponse): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (gone: boolean): void => {
        timer.cancel();
        this.#statusWaiters.delete(look);
        resolve(gone);
      };
      const look = (): void => {
        if (changed()) settle(false);
      };
      const timer = this.#clock.after(this.inbox.holdMs, () => settle(false));
      response.once('close', () => settle(true));
      this.#statusWaiters.add(look);
      look();
    });
  }

  async #updates(body: Json, response: ServerResponse): Promise<Reply> {
    const cursor = body['get_updates_buf'];
    if (typeof cursor !== 'string') {
      this.violations.push('getupdates: get_updates_buf is no text');
      return { body: { ret: -2 } };
    }
    if (this.inbox.polling > 0) this.violations.push('getupdates: two pollers of one bot');
    this.#polls.add(response);
    const poll = await this.inbox.poll(cursor, (fn) => response.once('close', fn));
    this.#polls.delete(response);
    if (!poll) return 'gone';
    const { announcedHoldMs } = this.inbox;
    const text = JSON.stringify({
      ret: 0,
      msgs: poll.entries,
      get_updates_buf: poll.cursor,
      ...(announcedHoldMs === undefined ? {} : { longpolling_timeout_ms: announcedHoldMs }),
    });
    return { raw: this.bareIds ? text.replace(/"(message_id|msg_id|svr_id)":"(\d+)"/g, '"$1":$2') : text };
  }

  #message(request: IncomingMessage, bot: Bot, body: Json): Reply {
    const { msg } = body;
    this.#hold(request, 'POST', checkEnvelope(msg));
    if (!isRecord(msg)) return { body: { ret: -2, errmsg: 'invalid arguments' } };
    if (msg['to_user_id'] !== bot.userId) return { body: { ret: -3, errmsg: 'invalid arguments' } };
    const id = this.inbox.newId();
    const refusal = this.phone.receive(msg, id);
    if (refusal) return { body: refusal };
    if (!this.namesMessages) return { raw: '{}' };
    return { raw: this.bareIds ? `{"ret":0,"message_id":${id}}` : `{"ret":0,"message_id":"${id}"}` };
  }

  #uploadUrl(request: IncomingMessage, bot: Bot, body: Json): Reply {
    this.#hold(request, 'POST', checkUploadRequest(body));
    if (body['to_user_id'] !== bot.userId) return { body: { ret: -3 } };
    const param = this.cdn.expect(body);
    if (!this.cdn.tellsFullUrl) return { body: { ret: 0, upload_param: param } };
    const query = `encrypted_query_param=${encodeURIComponent(param)}&filekey=${String(body['filekey'])}&taskid=7`;
    return { body: { upload_full_url: `${this.cdnBaseUrl}/upload?${query}`, upload_param: 'not this one' } };
  }

  #config(bot: Bot, body: Json): Reply {
    if (body['ilink_user_id'] !== bot.userId) return { body: { ret: -2, errmsg: 'ilink_user_id required' } };
    if (body['context_token'] === undefined) return { body: { ret: -4 } };
    this.#ticket += 1;
    return { body: { ret: 0, typing_ticket: Buffer.from(`ticket-${String(this.#ticket)}`).toString('base64') } };
  }

  #typing(request: IncomingMessage, bot: Bot, body: Json): Reply {
    const ticket = Buffer.from(String(body['typing_ticket']), 'base64').toString('utf8');
    const { status } = body;
    const faults = status === 1 || status === 2 ? [] : ['status is neither 1 nor 2'];
    this.#hold(request, 'POST', faults);
    if (body['ilink_user_id'] !== bot.userId || ticket !== `ticket-${String(this.#ticket)}`)
      return { body: { ret: -1 } };
    this.phone.isTyping = status === 1;
    return { body: { ret: 0 } };
  }
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function parseBody(bytes: Buffer): Json {
  if (bytes.length === 0) return {};
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
