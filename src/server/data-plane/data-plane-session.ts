import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Timer } from '../../base/clock.js';
import { ProtocolError, describeError } from '../../base/errors.js';
import { AckError } from '../../connector/connector.js';
import { ErrorCode, HelloPayload, checker } from '../../protocol/index.js';
import { CloseCode } from '../http/websocket.js';
import type { DataPlaneLimits } from '../server-options.js';
import { introductionOf, type AgentFacts, type Introduction } from './agent-facts.js';
import { chatHandlers } from './chat-handlers.js';
import { Heartbeat } from './heartbeat.js';
import { InFlight } from './in-flight.js';
import { Outbox } from './outbox.js';
import { UNKNOWN_ORIGIN, decodePacket, encodePacket, type ClientPacket, type PacketOrigin } from './packet-codec.js';
import { ackType, type PacketContext, type PacketHandler, type Reply } from './packet-handler.js';
import { ReadGate } from './read-gate.js';
import { requestHandlers } from './request-handlers.js';
import { SessionLink } from './session-link.js';

export interface SessionParts extends Omit<PacketContext, 'link'> {
  readonly linkId: string;
  readonly ws: WebSocket;
  readonly socket: Duplex;
  readonly limits: DataPlaneLimits;
  readonly helloTimeoutMs: number;
  readonly pingIntervalMs: number;
  /** How long a closing handshake may take, ms. */
  readonly closeMs: number;
}

const checkHello = checker(HelloPayload, 'connector.hello payload');

const HELLO = 'connector.hello';
const handlers = new Map<string, PacketHandler>([...Object.entries(requestHandlers), ...Object.entries(chatHandlers)]);

/** Requests that are owed an ack, so that a failure of ours is said in it. */
const ACKNOWLEDGED = new Set(Object.keys(requestHandlers).filter((type) => type !== 'ping'));

/** Answers to things this server never asks; replying to them could go round for ever. */
const IGNORED = new Set(['pong', 'error', ackType(HELLO), ...[...ACKNOWLEDGED].map(ackType)]);

/**
 * One data-plane socket, from its upgrade to its end: hello first, then packets to their handlers, one answer each
 * (protocol 3.0 sections 6 to 8).
 */
export class DataPlaneSession {
  readonly #parts: SessionParts;
  readonly #context: PacketContext;
  readonly #link: SessionLink;
  readonly #outbox: Outbox;
  readonly #gate: ReadGate;
  readonly #inFlight: InFlight;
  readonly #heartbeat: Heartbeat;
  readonly #helloTimer: Timer;
  #state: 'greeting' | 'ready' | 'ended' = 'greeting';
  #packetsBeforeHello = 0;
  #failedHellos = 0;
  #introduction: (Introduction & { readonly connectedAt: number }) | undefined;
  #lastPacketAt: number;
  #closeTimer: Timer | undefined;
  readonly #closed: Promise<void>;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { ws, socket, limits, clock, log } = parts;
    this.#lastPacketAt = clock.now();
    this.#gate = new ReadGate(ws);
    this.#inFlight = new InFlight(limits, (full) => this.#hold('in_flight', full));
    this.#outbox = new Outbox({
      ws,
      socket,
      limits,
      onCongestion: (congested) => this.#hold('output', congested),
      onOverflow: () => this.#cut('the agent does not read its socket'),
    });
    this.#link = new SessionLink({
      linkId: parts.linkId,
      connector: parts.connector,
      outbox: this.#outbox,
      transmissions: parts.transmissions,
      clock,
    });
    this.#context = {
      connector: parts.connector,
      delivery: parts.delivery,
      files: parts.files,
      transmissions: parts.transmissions,
      link: this.#link,
      clock,
      log,
    };
    this.#heartbeat = new Heartbeat({
      clock,
      intervalMs: parts.pingIntervalMs,
      maxMissed: limits.maxMissedPings,
      ping: () => ws.ping(),
      cut: () => this.#cut('the agent does not answer pings'),
      deaf: () => this.#gate.holds('in_flight'),
    });
    this.#helloTimer = clock.after(parts.helloTimeoutMs, () =>
      this.close(CloseCode.policyViolation, 'no hello in time'),
    );
    this.#closed = new Promise((resolve) => {
      ws.on('close', (code) => {
        log.info({ code }, 'data plane disconnected');
        this.#end();
        this.#closeTimer?.cancel();
        resolve();
      });
    });
    ws.on('message', (data, isBinary) => this.#receive(data, isBinary));
    ws.on('pong', () => this.#heartbeat.alive());
    ws.on('ping', () => this.#heartbeat.alive());
    // A frame that breaks the WebSocket protocol or the size limit: ws closes the socket with the matching code.
    ws.on('error', (error) => log.info({ error: describeError(error) }, 'data plane failed'));
  }

  /** Who said hello on it; undefined before that and once it is closing. */
  get agent(): AgentFacts | undefined {
    if (this.#state !== 'ready' || this.#introduction === undefined) return undefined;
    return {
      connector: this.#parts.connector.name,
      linkId: this.#parts.linkId,
      ...this.#introduction,
      profile: this.#link.profiles[0] ?? '',
      lastPacketAt: this.#lastPacketAt,
    };
  }

  /** Resolves when the socket is gone. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Takes no more packets. Resolves when the answers to those taken are sent. */
  drain(): Promise<void> {
    this.#end();
    return this.#inFlight.idle();
  }

  /** Ends the socket: from now on no packet of it has an effect and nothing is offered to it. */
  close(code: number, reason: string): void {
    this.#end();
    const { ws, clock, closeMs } = this.#parts;
    ws.close(code, reason);
    this.#closeTimer ??= clock.after(closeMs, () => ws.terminate());
  }

  terminate(): void {
    this.#end();
    this.#parts.ws.terminate();
  }

  #cut(why: string): void {
    this.#parts.log.warn({ why }, 'data plane cut');
    this.terminate();
  }

  #end(): void {
    if (this.#state === 'ended') return;
    const wasReady = this.#state === 'ready';
    this.#state = 'ended';
    this.#helloTimer.cancel();
    this.#heartbeat.stop();
    this.#gate.open();
    this.#link.setOpen(false);
    if (wasReady) this.#parts.connector.disconnected(this.#link);
  }

  #hold(reason: 'output' | 'in_flight', hold: boolean): void {
    if (this.#state !== 'ended') this.#gate.set(reason, hold);
  }

  // ---------------------------------------------------------------- packets in

  #receive(data: RawData, isBinary: boolean): void {
    this.#heartbeat.alive();
    if (this.#state === 'ended') return;
    this.#lastPacketAt = this.#parts.clock.now();
    if (isBinary || !Buffer.isBuffer(data)) {
      this.#answerError(UNKNOWN_ORIGIN, ErrorCode.invalidPacket, 'packets are text frames');
      this.#countBeforeHello();
      return;
    }
    const decoded = decodePacket(data.toString('utf8'));
    if (!decoded.ok) {
      this.#answerError(decoded.origin, ErrorCode.invalidPacket, decoded.reason);
      this.#countBeforeHello();
      return;
    }
    const { packet } = decoded;
    if (packet.type === HELLO) this.#hello(packet);
    else if (this.#state === 'greeting') this.#refuseBeforeHello(packet);
    else this.#dispatch(packet, data.length);
  }

  #hello(packet: ClientPacket): void {
    try {
      const hello = checkHello(packet.payload);
      const accepted = this.#parts.connector.hello(this.#link, hello);
      const connectedAt = this.#introduction?.connectedAt ?? this.#lastPacketAt;
      this.#introduction = { ...introductionOf(hello), connectedAt };
      if (this.#state === 'greeting') {
        this.#state = 'ready';
        this.#helloTimer.cancel();
        this.#link.setOpen(true);
        this.#parts.log.info({ profiles: this.#link.profiles }, 'data plane connected');
      }
      this.#failedHellos = 0;
      this.#answer(packet, { type: ackType(HELLO), payload: accepted });
    } catch (error) {
      this.#answerFailure(packet, error);
      this.#failedHellos += 1;
      if (this.#failedHellos >= this.#parts.limits.maxFailedHellos) {
        this.close(CloseCode.policyViolation, 'hello was rejected too often');
      }
    }
  }

  #refuseBeforeHello(packet: ClientPacket): void {
    // An error about an error could go round for ever.
    if (packet.type !== 'error') {
      this.#answerError(packet, ErrorCode.helloRequired, 'connector.hello must be the first packet');
    }
    this.#countBeforeHello();
  }

  #countBeforeHello(): void {
    if (this.#state !== 'greeting') return;
    this.#packetsBeforeHello += 1;
    if (this.#packetsBeforeHello >= this.#parts.limits.maxPacketsBeforeHello) {
      this.close(CloseCode.policyViolation, 'connector.hello must be the first packet');
    }
  }

  #dispatch(packet: ClientPacket, bytes: number): void {
    const handler = handlers.get(packet.type);
    if (!handler) {
      if (IGNORED.has(packet.type)) return;
      this.#answerError(packet, ErrorCode.unsupportedPacket, 'this packet type is not supported');
      return;
    }
    let result: ReturnType<PacketHandler>;
    try {
      result = handler(this.#context, packet);
    } catch (error) {
      this.#answerFailure(packet, error);
      return;
    }
    if (result instanceof Promise) {
      this.#inFlight.track(
        bytes,
        result.then(
          (reply) => this.#answer(packet, reply),
          (error: unknown) => this.#answerFailure(packet, error),
        ),
      );
    } else {
      this.#answer(packet, result);
    }
  }

  // ---------------------------------------------------------------- answers out

  #answer(packet: ClientPacket, reply: Reply | undefined): void {
    if (!reply) return;
    const answer = {
      type: reply.type,
      requestId: packet.requestId,
      replyTo: packet.packetId,
      channelId: reply.channelId ?? packet.channelId,
      payload: reply.payload,
    };
    this.#outbox.send(encodePacket(answer, this.#parts.clock.now()));
  }

  /** Section 7, error semantics: what the protocol forbids is an `error` packet, what failed as business is the ack's error. */
  #answerFailure(packet: ClientPacket, error: unknown): void {
    if (error instanceof ProtocolError) {
      this.#answerError(packet, error.code, error.message);
    } else if (error instanceof AckError) {
      this.#answerError(packet, error.code, error.message, ackType(packet.type));
    } else {
      this.#parts.log.error({ type: packet.type, error: describeError(error) }, 'a packet could not be handled');
      const type = ACKNOWLEDGED.has(packet.type) ? ackType(packet.type) : 'error';
      this.#answerError(packet, ErrorCode.internalError, 'the request could not be handled', type);
    }
  }

  #answerError(origin: PacketOrigin, code: string, message: string, type = 'error'): void {
    const { packetId: replyTo, requestId, channelId } = origin;
    const answer = { type, requestId, replyTo, channelId, error: { code, message } };
    this.#outbox.send(encodePacket(answer, this.#parts.clock.now()));
  }
}
