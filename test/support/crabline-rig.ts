import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTelegramServer, type ServerRequestEvent, type StartedTelegramServer } from '@openclaw/crabline';
import type { Config } from './host-process.js';
import { ask, isRecord } from './http-client.js';
import { Journal } from './deadline.js';
import type { NetworkRig } from './rig.js';
import type { SpecAgent } from './spec-agent.js';
import { statusOf } from './spec-agent.js';

/** The person's id at the emulated Telegram; a private chat has its person's id. */
const PERSON = 100_001;

interface Shown {
  id: number | undefined;
  text: string;
}

/**
 * A Telegram emulated by somebody else: an opinion on the Bot API that this project did not form itself.
 * It has no getChat, so the bot is bound by its token and a pairing code, as a person would.
 */
export class CrablineRig implements NetworkRig {
  readonly name = 'telegram';
  readonly cardId = 'im.telegram';
  readonly flowId = 'telegram_bot_binding';
  readonly messageTool = 'telegram_message_send';
  readonly fileTool = 'telegram_file_send';
  /** Bot API calls in order: method and body. */
  readonly calls = new Journal<{ method: string; body: Record<string, unknown> }>();
  readonly #shown: Shown[] = [];
  #server: StartedTelegramServer | undefined;
  #dir = '';
  #typed = false;

  config(): Config {
    return { connectors: { telegram: { apiRoot: this.#running.manifest.endpoints.apiRoot } } };
  }

  get botToken(): string {
    return this.#running.manifest.botToken;
  }

  get apiRoot(): string {
    return this.#running.manifest.endpoints.apiRoot;
  }

  input(): Record<string, unknown> {
    return { bot_token: this.botToken };
  }

  async start(): Promise<void> {
    this.#dir = await mkdtemp(join(tmpdir(), 'xcd-crabline-'));
    this.#server = await startTelegramServer({
      host: '127.0.0.1',
      port: 0,
      recorderPath: join(this.#dir, 'telegram.jsonl'),
      onEvent: (event) => this.#observe(event),
    });
  }

  async attach(): Promise<void> {
    // The emulator knows its own bots; a host needs no introduction.
  }

  async signIn(agent: SpecAgent, channel: string): Promise<void> {
    const from = agent.received.mark;
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: this.flowId, input: this.input() } });
    if (ack.payload?.['status'] === 'authenticated') return;
    const link = new URL(String(ack.payload?.['qr_code_text']));
    await this.personSays(`/start ${link.searchParams.get('start') ?? ''}`);
    await agent.received.next(
      (p) => p.type === 'connection.descriptor.push' && statusOf(p.payload?.['connection_descriptor']) === 'connected',
      'pairing to complete',
      { from },
    );
  }

  async bound(): Promise<void> {
    // One bot, one chat: nothing to look up.
  }

  async personSays(text: string, from: { id?: number; name?: string } = {}): Promise<void> {
    const { adminInboundUrl } = this.#running.manifest.endpoints;
    const id = from.id ?? PERSON;
    const answer = await ask(adminInboundUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-crabline-admin-token': this.#running.manifest.adminToken },
      body: JSON.stringify({ chatId: id, fromId: id, fromName: from.name ?? 'Kim', chatType: 'private', text }),
    });
    if (answer.status !== 200) throw new Error(`inbound refused: ${answer.status} ${answer.text}`);
  }

  async visible(): Promise<readonly string[]> {
    return this.#shown.map((message) => message.text);
  }

  async sawTyping(): Promise<boolean> {
    const typed = this.#typed;
    this.#typed = false;
    return typed;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
    await rm(this.#dir, { recursive: true, force: true });
  }

  get #running(): StartedTelegramServer {
    if (!this.#server) throw new Error('the emulator does not run');
    return this.#server;
  }

  #observe(event: ServerRequestEvent): void {
    if (event.type !== 'api') return;
    const method = (event.path.split('/').pop() ?? '').toLowerCase();
    const body = isRecord(event.body) ? event.body : {};
    this.calls.push({ method, body });
    if ('accepted' in event && event.accepted === false) return;
    if (method === 'sendchataction') this.#typed = true;
    if (method === 'sendmessage') this.#shown.push({ id: undefined, text: String(body['text']) });
    if (method === 'editmessagetext') this.#edit(Number(body['message_id']), String(body['text']));
  }

  /** A send's event does not name the id it was given: the first edit of an unknown id is of the newest unnamed message. */
  #edit(id: number, text: string): void {
    const message = this.#shown.find((m) => m.id === id) ?? this.#shown.findLast((m) => m.id === undefined);
    if (!message) return;
    message.id = id;
    message.text = text;
  }
}
