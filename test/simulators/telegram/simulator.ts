import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { FaultScript, refusals, type Fault } from './faults.js';
import { ApiRefusal, carryOut } from './methods.js';
import { readBody, type ParsedBody } from './multipart.js';
import { UpdateQueue, type Json } from './updates.js';
import { World, type ChatMessage, type PersonOptions } from './world.js';

export interface SimulatorOptions {
  readonly token: string;
  readonly botUsername?: string;
  /** Times the long polls; the system's by default. */
  readonly clock?: Clock;
  /** Methods this server does not know, in any spelling. */
  readonly unknownMethods?: readonly string[];
  readonly firstUpdateId?: number;
}

export interface ApiCall {
  readonly method: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const FIRST_UPDATE_ID = 700_001;
const UNTIL_TIMEOUT_MS = 10_000;
const UNTIL_STEP_MS = 5;

/** Starts a Bot API for one bot on a free loopback port. */
export async function startTelegramSimulator(options: SimulatorOptions): Promise<TelegramSimulator> {
  const simulator = new TelegramSimulator(options);
  await simulator.listen();
  return simulator;
}

export class TelegramSimulator {
  token: string;
  readonly faults = new FaultScript();
  readonly calls: ApiCall[] = [];
  readonly world: World;
  readonly updates: UpdateQueue;
  /** The URL of a webhook; while one is set there is no polling. */
  webhook = '';
  readonly #unknown: ReadonlySet<string>;
  readonly #server: Server;
  readonly #clock: Clock;
  #held: (() => void)[] = [];

  constructor({
    token,
    botUsername = 'plain_test_bot',
    clock = systemClock,
    unknownMethods = [],
    firstUpdateId,
  }: SimulatorOptions) {
    this.token = token;
    this.#clock = clock;
    this.world = new World({ id: Number(token.split(':')[0]), username: botUsername });
    this.updates = new UpdateQueue(clock, firstUpdateId ?? FIRST_UPDATE_ID);
    this.#unknown = new Set(unknownMethods.map((method) => method.toLowerCase()));
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get apiRoot(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  async listen(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  // ------------------------------------------------------------ people

  /** A person writes; returns the message as the update carries it. In their private chat unless `chatId` says otherwise. */
  say(userId: number, text: string, options: PersonOptions = {}): Json {
    return this.send(userId, { text }, options);
  }

  /** A person sends something else than text: any content fields of a message. */
  send(userId: number, content: Json, options: PersonOptions = {}): Json {
    const message = this.world.messageFrom(userId, content, options);
    this.updates.push({ message });
    return message;
  }

  /** A person changes a message of theirs. */
  edit(message: Json, content: Json): void {
    this.updates.push({ edited_message: { ...message, ...content, edit_date: Math.floor(Date.now() / 1000) } });
  }

  /** A person sends a file as a document. */
  sendDocument(userId: number, bytes: Buffer, name: string, mimeType: string, options: PersonOptions = {}): Json {
    return this.send(
      userId,
      { document: { ...this.world.addFile(bytes, name), file_name: name, mime_type: mimeType } },
      options,
    );
  }

  /** A person presses Start without writing anything to the bot's queue. */
  start(userId: number, firstName = 'Ada'): void {
    this.world.started.set(userId, firstName);
  }

  addGroup(
    id: number,
    title: string,
    admins: readonly { id: number; status: 'creator' | 'administrator' }[] = [],
  ): void {
    this.world.groups.set(id, { id, title, type: 'supergroup', admins });
  }

  /** A person blocks or unblocks the bot. */
  setBlocked(userId: number, blocked: boolean): void {
    const user = { id: this.world.bot.id, is_bot: true, first_name: 'Bot' };
    this.updates.push({
      my_chat_member: {
        chat: this.world.chatOf(userId),
        from: { id: userId, is_bot: false, first_name: 'Ada' },
        date: 1,
        old_chat_member: { user, status: blocked ? 'member' : 'kicked' },
        new_chat_member: { user, status: blocked ? 'kicked' : 'member' },
      },
    });
  }

  // ------------------------------------------------------------ what can be seen

  /** Messages of the bot that people see in a chat now. */
  messagesIn(chatId: number): readonly ChatMessage[] {
    return this.world.messages.filter((message) => message.chatId === chatId && !message.deleted);
  }

  textsIn(chatId: number): string[] {
    return this.messagesIn(chatId).map(({ text }) => text);
  }

  countOf(method: string): number {
    return this.calls.filter((call) => call.method.toLowerCase() === method.toLowerCase()).length;
  }

  /** Waits for something to become true. */
  async until(condition: () => boolean, timeoutMs = UNTIL_TIMEOUT_MS): Promise<void> {
    const end = performance.now() + timeoutMs;
    while (!condition()) {
      if (performance.now() > end) throw new Error('the simulator waited in vain');
      await new Promise((resolve) => setTimeout(resolve, UNTIL_STEP_MS));
    }
  }

  /** As BotFather gives a new token for the same bot: the old one is refused from now on; calls under way are answered. */
  renewToken(): string {
    this.token = `${this.token.split(':')[0] ?? ''}:BB${this.token.slice(-33)}`;
    return this.token;
  }

  /** Answers what `holdAfter` kept. */
  release(): void {
    for (const give of this.#held.splice(0)) give();
  }

  // ------------------------------------------------------------ the server

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
      const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(path);
      if (file) return void this.#serveFile(file[1] === this.token, file[2] ?? '', response);
      const [, token = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
      const body = await readBody(request);
      if (token !== this.token) return void answer(response, refusals.unauthorized);
      this.calls.push({ method, fields: body.fields });
      await this.#serveCall(method, body, request, response);
    } catch {
      request.socket.destroy();
    }
  }

  async #serveCall(
    method: string,
    body: ParsedBody,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const fault = this.faults.take(method);
    if (fault?.kind === 'refuse') return void answer(response, fault);
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'cutBefore') return void request.socket.destroy();
    if (fault?.kind === 'garbage') {
      response.writeHead(fault.status ?? 200, fault.headers).end(fault.body);
      return;
    }
    const name = method.toLowerCase();
    if (this.#unknown.has(name)) return void answer(response, refusals.unknownMethod);
    const result = await this.#result(name, body, response);
    if (fault?.kind === 'holdAfter') return void this.#held.push(() => answer(response, result));
    if (fault?.kind === 'slow') return void this.#clock.after(fault.ms, () => answer(response, result));
    if (fault?.kind === 'cutAfter') return void request.socket.destroy();
    if (fault?.kind === 'truncate') {
      response.writeHead(200, { 'content-length': '4096' }).write('{"ok":true,"res');
      return void setImmediate(() => request.socket.destroy());
    }
    answer(response, result);
  }

  async #result(name: string, body: ParsedBody, response: ServerResponse): Promise<Answer> {
    if (name === 'getupdates') return this.#poll(body.fields, response);
    if (name === 'getwebhookinfo') return { result: { url: this.webhook, pending_update_count: 0 } };
    if (name === 'deletewebhook') {
      this.webhook = '';
      return { result: true };
    }
    try {
      const result = carryOut(this.world, name, body);
      return result === undefined ? refusals.unknownMethod : { result };
    } catch (error) {
      if (error instanceof ApiRefusal) {
        return { kind: 'refuse', error_code: error.error_code, description: error.description };
      }
      throw error;
    }
  }

  async #poll(fields: Json, response: ServerResponse): Promise<Answer> {
    if (this.webhook !== '') return refusals.webhook;
    const offset = fields['offset'] === undefined ? undefined : Number(fields['offset']);
    const limit = Number(fields['limit'] ?? 100);
    const timeoutS = Number(fields['timeout'] ?? 0);
    const outcome = await this.updates.poll({ offset, limit, timeoutS }, (fn) => response.once('close', fn));
    if (outcome === 'conflict') return refusals.conflict;
    return { result: outcome === 'gone' ? [] : outcome };
  }

  #serveFile(allowed: boolean, path: string, response: ServerResponse): void {
    const file = allowed ? Array.from(this.world.files.values()).find((each) => each.path === path) : undefined;
    const fault = this.faults.take('download');
    if (fault?.kind === 'truncate' && file) {
      response.writeHead(200, { 'content-length': String(file.bytes.length) });
      response.write(file.bytes.subarray(0, file.bytes.length / 2));
      setImmediate(() => response.destroy());
      return;
    }
    if (fault?.kind === 'garbage') {
      response.writeHead(fault.status ?? 200, fault.headers ?? {}).end(fault.body);
      return;
    }
    if (file) response.writeHead(200, { 'content-length': String(file.bytes.length) }).end(file.bytes);
    else answer(response, { kind: 'refuse', error_code: 404, description: 'Not Found' });
  }
}

type Answer = { readonly result: unknown } | Extract<Fault, { kind: 'refuse' }>;

function answer(response: ServerResponse, given: Answer): void {
  if (response.destroyed) return;
  if ('result' in given) {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ok: true, result: given.result }));
    return;
  }
  const { error_code, description, parameters } = given;
  const body = { ok: false, error_code, description, ...(parameters ? { parameters } : {}) };
  response.writeHead(error_code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
