import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { readBody } from '../telegram/multipart.js';
import { Push } from './push.js';
import { Registrations, type App } from './registrations.js';
import { carryOut, nameOf, refuse, type Answer } from './routes.js';
import { World } from './world.js';

/** What goes wrong with one call. */
export type Fault =
  /** Refused with this code; `resetS` as the rate limit names the wait. */
  | { readonly kind: 'refuse'; readonly code: number; readonly status?: number; readonly resetS?: number }
  | { readonly kind: 'cutBefore' }
  /** Carried out, then the connection is cut before the answer. */
  | { readonly kind: 'cutAfter' }
  /** Carried out, but never answered: the moment between effect and answer, held open. */
  | { readonly kind: 'holdAfter' }
  | { readonly kind: 'garbage' }
  /** Carried out at once, answered after this many milliseconds. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Carried out; the answer announces more bytes than come. */
  | { readonly kind: 'truncate' }
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'hang' };

export interface Call {
  readonly name: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface EventOptions {
  readonly chatType?: 'p2p' | 'group';
  readonly senderType?: string;
  readonly messageId?: string;
  readonly eventId?: string;
  readonly mentions?: readonly { readonly key: string; readonly openId: string; readonly name: string }[];
  readonly fragments?: number;
}

/** Feishu's accounts service, open platform and long connection on one loopback port. */
export class FeishuSimulator {
  readonly registrations = new Registrations();
  readonly world = new World();
  readonly push: Push;
  readonly calls: Call[] = [];
  /** Apps that exist; a removed one is unknown from then on. */
  readonly apps = new Map<string, App>();
  /** Tokens given so far; only the newest is taken when `expireTokens` was called. */
  tokens = 0;
  /** Whether the endpoint of the long connection refuses, and with which code. */
  endpointCode = 0;
  /** Whether a refusal there comes without `data`, as the vendor's SDK does not expect. */
  endpointBare = false;
  readonly #faults = new Map<string, Fault[]>();
  readonly #server: Server;
  readonly #clock: Clock;
  #validFrom = 1;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.push = new Push(clock);
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
      this.push.accept(request, socket, head);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.push.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  // ------------------------------------------------------------ people

  /** An app that a person has made, ready to be used. */
  addApp(ownerId: string): App {
    const app = this.registrations.newApp(ownerId);
    this.apps.set(app.appId, app);
    return app;
  }

  /** The next poll of a registration finds that this person has confirmed. */
  confirm(ownerId: string, brand: 'feishu' | 'lark' = 'feishu'): App {
    const app = this.addApp(ownerId);
    this.registrations.script.push({ kind: 'registered', app, brand });
    return app;
  }

  /** Somebody writes; returns the message's id. */
  write(senderId: string, type: string, content: unknown, options: EventOptions = {}): string {
    const message_id = options.messageId ?? this.world.id('om_in_');
    const event_id = options.eventId ?? this.world.id('ev_');
    const { chatType = 'p2p', senderType = 'user', mentions = [], fragments } = options;
    const time = String(Date.now());
    const event = {
      schema: '2.0',
      header: { event_id, event_type: 'im.message.receive_v1', create_time: time, tenant_key: 't', app_id: 'a' },
      event: {
        sender: { sender_id: { open_id: senderId }, sender_type: senderType, tenant_key: 't' },
        message: {
          message_id,
          chat_id: chatType === 'p2p' ? `oc_${senderId}` : 'oc_group',
          chat_type: chatType,
          message_type: type,
          content: JSON.stringify(content),
          create_time: time,
          mentions: mentions.map(({ key, openId, name }) => ({ key, id: { open_id: openId }, name })),
        },
      },
    };
    this.push.send(event_id, event, fragments);
    return message_id;
  }

  say(senderId: string, text: string, options: EventOptions = {}): string {
    return this.write(senderId, 'text', { text }, options);
  }

  // ------------------------------------------------------------ faults

  /** The next calls of a name, such as `POST im/v1/messages`, go wrong in these ways, one each. */
  fail(name: string, ...faults: Fault[]): void {
    this.#faults.set(name, [...(this.#faults.get(name) ?? []), ...faults]);
  }

  /** Nothing goes wrong any more. */
  mend(): void {
    this.#faults.clear();
  }

  /** Tokens given so far are no longer taken. */
  expireTokens(): void {
    this.#validFrom = this.tokens + 1;
  }

  countOf(name: string): number {
    return this.calls.filter((call) => call.name === name).length;
  }

  // ------------------------------------------------------------ serving

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const body = await readBody(request).catch(() => undefined);
    if (!body) return;
    if (url.pathname === '/oauth/v1/app/registration') {
      const answer = this.registrations.answer(new URLSearchParams(body.fields as Record<string, string>));
      if (answer === 'cut') request.socket.destroy();
      else sendJson(response, answer.status, answer.body);
      return;
    }
    const path = url.pathname.replace(/^\/(?:open-apis\/)?/, '');
    const name = nameOf(request.method ?? '', path);
    this.calls.push({ name, path, query: Object.fromEntries(url.searchParams), fields: body.fields });
    const fault = this.#faults.get(name)?.shift();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'cutBefore') return void request.socket.destroy();
    if (fault?.kind === 'garbage') return void response.writeHead(502).end('<html>secret upstream page</html>');
    if (fault?.kind === 'redirect') return void response.writeHead(302, { location: fault.location }).end();
    if (fault?.kind === 'refuse') {
      if (fault.resetS !== undefined) response.setHeader('x-ogw-ratelimit-reset', String(fault.resetS));
      sendAnswer(response, refuse(fault.code, fault.status));
      return;
    }
    const answer = this.#answer(name, request, { path, query: url.searchParams, body });
    if (fault?.kind === 'cutAfter') return void request.socket.destroy();
    if (fault?.kind === 'slow') return void this.#clock.after(fault.ms, () => sendAnswer(response, answer));
    if (fault?.kind === 'truncate') {
      response.writeHead(200, { 'content-length': '4096' }).write('{"code":0,"da');
      return void setImmediate(() => request.socket.destroy());
    }
    if (fault?.kind !== 'holdAfter') sendAnswer(response, answer);
  }

  #answer(
    name: string,
    request: IncomingMessage,
    call: Pick<Parameters<typeof carryOut>[1], 'path' | 'query' | 'body'>,
  ): Answer {
    const { fields } = call.body;
    if (name === 'POST auth/v3/tenant_access_token/internal') {
      const app = this.apps.get(String(fields['app_id']));
      if (!app) return refuse(10003);
      if (app.appSecret !== fields['app_secret']) return refuse(10014);
      this.tokens += 1;
      const tenant_access_token = `t-${app.appId}-${this.tokens}`;
      return { kind: 'json', body: { code: 0, msg: 'ok', tenant_access_token, expire: 7200 } };
    }
    if (name === 'POST callback/ws/endpoint') return this.#endpoint(fields);
    const token = /^Bearer t-(cli_[0-9a-f]+)-(\d+)$/.exec(request.headers.authorization ?? '');
    if (!token?.[1] || !this.apps.has(token[1]) || Number(token[2]) < this.#validFrom) return refuse(99991663, 401);
    return carryOut(name, { ...call, method: request.method ?? '', appId: token[1] }, this.world);
  }

  #endpoint(fields: Readonly<Record<string, unknown>>): Answer {
    const app = this.apps.get(String(fields['AppID']));
    const isKnown = app !== undefined && app.appSecret === fields['AppSecret'];
    const code = this.endpointCode !== 0 ? this.endpointCode : isKnown ? 0 : 514;
    const empty = this.endpointBare ? {} : { data: { URL: '', ClientConfig: {} } };
    if (code !== 0) return { kind: 'json', body: { code, msg: 'as Feishu words it', ...empty } };
    const URL = `${this.url.replace('http', 'ws')}/ws?device_id=1&service_id=1&ticket=the-secret-ticket`;
    return { kind: 'json', body: { code: 0, msg: 'ok', data: { URL, ClientConfig: this.push.clientConfig() } } };
  }
}

export async function startFeishuSimulator(clock: Clock = systemClock): Promise<FeishuSimulator> {
  const simulator = new FeishuSimulator(clock);
  await simulator.listen();
  return simulator;
}

function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (answer.kind === 'json') {
    sendJson(response, answer.status ?? 200, answer.body);
    return;
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': answer.bytes.length });
  response.end(answer.bytes);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
