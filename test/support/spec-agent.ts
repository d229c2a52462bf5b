import WebSocket from 'ws';
import { AgentMemory, type AckBehaviour, type AgentOptions, type ReceivedMessage } from './agent-options.js';
import { AgentFiles } from './agent-files.js';
import { id, isWirePacket, rawText, statusOf } from './agent-packets.js';
import { openSocket } from './agent-socket.js';
import { ConversationRules } from './conversation-rules.js';
import { Journal, SOON_MS, within } from './deadline.js';
import { ask, isRecord } from './http-client.js';
import { checkPacket, records, type WirePacket } from './wire-rules.js';

export * from './agent-options.js';
export { id, statusOf } from './agent-packets.js';
export { openSocket, UpgradeRefused } from './agent-socket.js';

/**
 * An xAgent that knows the specification and nothing about this product: what it may do, an xAgent may do. Everything it
 * receives is held against the written rules; what breaks one is kept in {@link SpecAgent.faults}, and {@link SpecAgent.bye}
 * fails the test with it.
 */

export interface Closed {
  readonly code: number;
  readonly reason: string;
}

export class SpecAgent {
  readonly received = new Journal<WirePacket>();
  readonly messages = new Journal<ReceivedMessage>();
  readonly faults: string[] = [];
  readonly memory: AgentMemory;
  readonly files: AgentFiles;
  /** Resolves once the socket is closed, by whichever side. */
  readonly closed: Promise<Closed>;
  ack: (message: ReceivedMessage) => AckBehaviour;
  readonly #options: AgentOptions;
  readonly #socket: WebSocket;
  readonly #rules: ConversationRules;
  readonly #forgiven = new Set<string>();

  private constructor(options: AgentOptions, socket: WebSocket) {
    this.#options = options;
    this.#rules = new ConversationRules(this.profiles);
    this.#socket = socket;
    this.memory = options.memory ?? new AgentMemory();
    this.files = new AgentFiles(options.baseUrl, options.apiKey);
    this.ack = options.ack ?? (() => ({ kind: 'accept' }));
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString('utf8') }));
    });
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('error', () => undefined); // 'close' follows and tells the rest
  }

  /** Reads the card, opens the data plane and says hello, as xAgent does. */
  static async connect(options: AgentOptions): Promise<SpecAgent> {
    const card = await ask(`${options.baseUrl}/connector-card.json`);
    const agent = new SpecAgent(options, await openSocket(options));
    agent.#rules.card = card.json();
    if (options.hello !== false) await agent.hello();
    return agent;
  }

  get card(): Record<string, unknown> {
    return this.#rules.card;
  }

  /** As the newest hello gave it; empty before. */
  get connectorId(): string {
    return this.#rules.connectorId;
  }

  get subprotocol(): string {
    return this.#socket.protocol;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** The raw socket, for tests of WebSocket-level behaviour. */
  get socket(): WebSocket {
    return this.#socket;
  }

  // ------------------------------------------------------------ packets out

  /** Sends anything, as it is. Envelope fields are filled in only where they are not given. */
  send(packet: Partial<WirePacket> & { type: string }): WirePacket {
    const whole: WirePacket = {
      schema: 'xagent.connector.packet/v1',
      packet_id: id('pkt'),
      time: Date.now(),
      ...packet,
    };
    this.#rules.sent(whole);
    this.sendRaw(JSON.stringify(whole));
    return whole;
  }

  sendRaw(frame: string | Buffer): void {
    this.#socket.send(frame);
  }

  /** Sends a request and resolves with its answer: the packet that carries its request_id and points to it. */
  async request(
    type: string,
    options: {
      channel?: string;
      payload?: Record<string, unknown>;
      requestId?: string;
      packetId?: string;
      ms?: number;
    } = {},
  ): Promise<WirePacket> {
    const from = this.received.mark;
    const sent = this.send({
      type,
      request_id: options.requestId ?? id('req'),
      ...(options.packetId === undefined ? {} : { packet_id: options.packetId }),
      ...(options.channel === undefined ? {} : { connector_channel_id: options.channel }),
      payload: options.payload ?? {},
    });
    const wait = { from, ...(options.ms === undefined ? {} : { ms: options.ms }) };
    return this.#orClosed(
      this.received.next((packet) => packet.reply_to === sent.packet_id, `answer to ${type}`, wait),
      type,
    );
  }

  async hello(overrides: Record<string, unknown> = {}): Promise<WirePacket> {
    return this.request('connector.hello', {
      payload: {
        connector_card_id: this.#rules.cardId,
        connector_id: this.#options.connectorId ?? '',
        protocol_version: this.#options.version ?? '3.0',
        supported_profiles: this.profiles,
        ...overrides,
      },
    });
  }

  get profiles(): readonly string[] {
    return this.#options.profiles ?? ['xagent.im.v1', 'xagent.im.v2'];
  }

  /** Opens a channel; an empty id asks for a new one. Gives back the id to use from now on. */
  async open(channel = ''): Promise<{ channel: string; descriptor: Record<string, unknown> }> {
    const ack = await this.request('channel.open', { channel });
    if (ack.error) throw new Error(`channel.open: ${ack.error.code}`);
    const descriptor = ack.payload?.['connection_descriptor'];
    if (!isRecord(descriptor)) throw new Error('channel.open.ack without descriptor');
    const own = String(ack.payload?.['connector_channel_id']);
    if (ack.connector_channel_id !== own)
      this.faults.push('channel.open.ack: envelope and payload name different channels');
    return { channel: own, descriptor };
  }

  /** A new channel with a completed form sign-in. */
  async bind(flowId: string, input: Record<string, unknown>, channel?: string): Promise<string> {
    const own = channel ?? (await this.open()).channel;
    let ack = await this.request('auth.start', { channel: own, payload: { flow_id: flowId, input } });
    // A busy machine answers before it is done.
    while (ack.payload?.['status'] === 'pending') {
      const payload = { auth_session_id: ack.payload['auth_session_id'] };
      ack = await this.request('auth.status', { channel: own, payload });
    }
    if (ack.payload?.['status'] !== 'authenticated') {
      const message = ack.error?.message ?? ack.payload?.['message'];
      throw new Error(`sign-in ended ${String(ack.error?.code ?? ack.payload?.['status'])}: ${String(message)}`);
    }
    return own;
  }

  async descriptorOf(channel: string): Promise<Record<string, unknown>> {
    const ack = await this.request('connection.descriptor.get', { channel });
    const descriptor = ack.payload?.['connection_descriptor'];
    if (!isRecord(descriptor)) throw new Error(`no descriptor: ${ack.error?.code ?? ack.type}`);
    return descriptor;
  }

  /** Waits until the channel's descriptor has this status, by push or by asking once. */
  async untilStatus(channel: string, status: string, ms = SOON_MS): Promise<void> {
    const from = this.received.mark;
    if (statusOf(await this.descriptorOf(channel)) === status) return;
    await this.received.next(
      (packet) =>
        packet.type === 'connection.descriptor.push' &&
        packet.connector_channel_id === channel &&
        statusOf(packet.payload?.['connection_descriptor']) === status,
      `descriptor ${status}`,
      { from, ms },
    );
  }

  /** Sends one final assistant message and resolves with the acknowledgment of exactly this transmission. */
  async say(
    channel: string,
    text: string | undefined,
    options: { messageId?: string; files?: unknown[]; ms?: number; packetId?: string } = {},
  ): Promise<WirePacket> {
    const from = this.received.mark;
    const sent = this.transmit(channel, text, options);
    const ack = this.received.next((packet) => packet.reply_to === sent.packet_id, 'chat.message.ack', {
      from,
      ms: options.ms ?? SOON_MS,
    });
    return this.#orClosed(ack, 'chat.message');
  }

  /** Sends one final assistant message without waiting. */
  transmit(
    channel: string,
    text: string | undefined,
    options: { messageId?: string; files?: unknown[]; packetId?: string } = {},
  ): WirePacket {
    return this.send({
      type: 'chat.message',
      ...(options.packetId === undefined ? {} : { packet_id: options.packetId }),
      connector_channel_id: channel,
      payload: {
        message_id: options.messageId ?? id('assistant'),
        ...(text === undefined ? {} : { text }),
        ...(options.files === undefined ? {} : { files: options.files }),
        created_at: Date.now(),
      },
    });
  }

  delta(channel: string, messageId: string, sequence: number, text: string): WirePacket {
    return this.send({
      type: 'chat.message.delta',
      connector_channel_id: channel,
      payload: { message_id: messageId, sequence, text },
    });
  }

  activity(channel: string, payload: Record<string, unknown>): WirePacket {
    return this.send({ type: 'chat.activity', connector_channel_id: channel, payload });
  }

  async tool(
    channel: string,
    toolId: string,
    args: Record<string, unknown>,
    options: { context?: Record<string, unknown>; requestId?: string; packetId?: string; ms?: number } = {},
  ): Promise<WirePacket> {
    return this.request('tool.invoke', {
      channel,
      payload: {
        tool_id: toolId,
        arguments: args,
        context: options.context ?? { session_id: id('session'), tool_call_id: id('call') },
      },
      ...(options.requestId === undefined ? {} : { requestId: options.requestId }),
      ...(options.packetId === undefined ? {} : { packetId: options.packetId }),
      ...(options.ms === undefined ? {} : { ms: options.ms }),
    });
  }

  /** Answers a received message by hand. */
  acknowledge(
    message: ReceivedMessage,
    payload: Record<string, unknown>,
    overrides: Partial<WirePacket> = {},
  ): WirePacket {
    return this.send({
      type: 'chat.message.ack',
      reply_to: message.packet.packet_id,
      connector_channel_id: message.packet.connector_channel_id ?? '',
      payload: { message_id: message.messageId, ...payload },
      ...overrides,
    });
  }

  /** Waits for a round trip, after which everything the server had to say before is here: the socket keeps order. */
  async settle(): Promise<void> {
    await this.request('ping');
  }

  // ------------------------------------------------------------ ends

  /** Leaves in good order and fails on every rule the server broke meanwhile. */
  async bye(): Promise<void> {
    if (this.isOpen) this.#socket.close(1000);
    else if (this.#socket.readyState !== WebSocket.CLOSED) this.#socket.terminate();
    await within(this.closed, 'socket to close').catch(() => this.#socket.terminate());
    this.assertClean();
  }

  /** The agent's process dies: no close frame. */
  crash(): void {
    this.#socket.terminate();
  }

  /** Says that a broken rule with this text is what the test is about. */
  forgive(part: string): void {
    this.#forgiven.add(part);
  }

  assertClean(): void {
    const faults = this.faults.filter((fault) => ![...this.#forgiven].some((part) => fault.includes(part)));
    if (faults.length > 0) throw new Error(`the server broke the protocol:\n  ${faults.join('\n  ')}`);
  }

  /** An answer can't come any more once the socket is gone: says so at once instead of waiting out the deadline. */
  async #orClosed<T>(answer: Promise<T>, what: string): Promise<T> {
    const gone = this.closed.then(async ({ code }) => {
      // What arrived before the close is looked at first.
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error(`socket closed (${code}) before the answer to ${what}`);
    });
    answer.catch(() => undefined);
    return Promise.race([answer, gone]);
  }

  // ------------------------------------------------------------ packets in

  #receive(data: WebSocket.RawData, isBinary: boolean): void {
    const raw = rawText(data);
    if (isBinary) this.faults.push('a binary frame (section 6: TextMessage only)');
    let packet: unknown;
    try {
      packet = JSON.parse(raw);
    } catch {
      this.faults.push('a frame that is not JSON');
      return;
    }
    if (!isWirePacket(packet)) {
      this.faults.push(`a frame without type: ${raw.slice(0, 200)}`);
      return;
    }
    this.faults.push(...checkPacket(packet, raw.length), ...this.#rules.check(packet));
    this.received.push(packet);
    if (packet.type === 'chat.message') this.#takeMessage(packet);
    if (packet.type === 'ping' && this.isOpen) {
      this.send({ type: 'pong', ...(packet.request_id === undefined ? {} : { request_id: packet.request_id }) });
    }
  }

  #takeMessage(packet: WirePacket): void {
    const message: ReceivedMessage = {
      packet,
      messageId: String(packet.payload?.['message_id']),
      text: typeof packet.payload?.['text'] === 'string' ? packet.payload['text'] : '',
      files: records(packet.payload?.['files']),
      at: performance.now(),
    };
    this.messages.push(message);
    const behaviour = this.ack(message);
    switch (behaviour.kind) {
      case 'accept':
        this.#accept(message);
        break;
      case 'twice':
        this.#accept(message);
        this.#accept(message);
        break;
      case 'reject':
        this.acknowledge(message, {
          status: 'rejected',
          code: behaviour.code,
          message: 'the test says no',
          retryable: behaviour.retryable,
        });
        break;
      case 'disconnect':
        this.crash();
        break;
      case 'wrong':
        this.#misdirect(message, behaviour.wrong);
        break;
      case 'silent':
        break;
    }
  }

  #accept(message: ReceivedMessage): void {
    // Remembered before it is said: an agent that dies between the two must answer duplicate afterwards.
    const known = this.memory.accepted.has(message.messageId);
    if (!known) {
      this.memory.accepted.add(message.messageId);
      this.memory.texts.push(message.text);
    }
    this.acknowledge(message, { status: known ? 'duplicate' : 'accepted' });
  }

  #misdirect(message: ReceivedMessage, wrong: 'reply_to' | 'message_id' | 'channel'): void {
    const payload = { message_id: wrong === 'message_id' ? id('other') : message.messageId, status: 'accepted' };
    this.send({
      type: 'chat.message.ack',
      reply_to: wrong === 'reply_to' ? id('pkt') : message.packet.packet_id,
      connector_channel_id: wrong === 'channel' ? id('cch') : (message.packet.connector_channel_id ?? ''),
      payload,
    });
  }
}
