import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock, Timer } from '../../../src/base/clock.js';
import { decodeFrame, encodeFrame } from './frames.js';

/** An event that is not acknowledged in time comes again after these, milliseconds from its first delivery. */
export const REDELIVERY_MS = [15_000, 300_000, 3_600_000, 21_600_000];

/** From a connection to its first event, in real time; milliseconds. */
const FIRST_EVENT_MS = 20;

export interface Ack {
  readonly eventId: string;
  readonly code: number;
}

interface Delivery {
  readonly eventId: string;
  readonly bytes: Buffer;
  readonly fragments: number;
  tries: number;
  done: boolean;
}

/** The long connections of an app, and the events that go over them. */
export class Push {
  /** Seconds between pings, told to whoever connects. */
  pingIntervalS = 120;
  /** Whether a ping is answered; a connection that no longer answers stays open. */
  answersPings = true;
  /** Whether a handshake is answered. */
  answersHandshakes = true;
  /** Handshakes that were not. */
  readonly unanswered: Duplex[] = [];
  /** Whether an acknowledgement counts; without it every event comes again. */
  heedsAcks = true;
  readonly acks: Ack[] = [];
  pings = 0;
  /** Connections made so far. */
  connections = 0;
  readonly #clock: Clock;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #sockets = new Set<WebSocket>();
  readonly #waiting: Delivery[] = [];
  readonly #sent = new Map<string, Delivery>();
  readonly #timers = new Set<Timer>();
  #sequence = 1n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get open(): number {
    return this.#sockets.size;
  }

  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (!this.answersHandshakes) {
      this.unanswered.push(socket.on('error', () => undefined));
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (client) => {
      this.connections += 1;
      this.#sockets.add(client);
      client.on('close', () => this.#sockets.delete(client));
      client.on('error', () => client.terminate());
      client.on('message', (data) => this.#receive(client, data as Buffer));
      // Not in one packet with the handshake: the SDK does not listen yet then, and the event would come 15 s later.
      setTimeout(() => {
        for (const delivery of this.#waiting.splice(0)) this.#deliver(delivery);
      }, FIRST_EVENT_MS);
    });
  }

  /** Hands an event to one connection, or keeps it for the next. */
  send(eventId: string, event: unknown, fragments = 1): void {
    this.#deliver({ eventId, bytes: Buffer.from(JSON.stringify(event)), fragments, tries: 0, done: false });
  }

  /** Everything that was handed over and not acknowledged comes once more now. */
  repeatUnacknowledged(): void {
    for (const delivery of [...this.#sent.values()]) this.#deliver(delivery);
  }

  /** The network breaks every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  close(): void {
    for (const socket of this.unanswered) socket.destroy();
    for (const timer of this.#timers) timer.cancel();
    this.cut();
    this.#server.close();
  }

  #deliver(delivery: Delivery): void {
    if (delivery.done) return;
    const [socket] = [...this.#sockets].slice(-1);
    if (!socket) {
      this.#waiting.push(delivery);
      return;
    }
    this.#sent.set(delivery.eventId, delivery);
    const size = Math.ceil(delivery.bytes.length / delivery.fragments);
    // The last fragment comes first: order is not promised.
    for (let seq = delivery.fragments - 1; seq >= 0; seq -= 1) {
      const payload = delivery.bytes.subarray(seq * size, (seq + 1) * size);
      const headers = {
        type: 'event',
        message_id: delivery.eventId,
        sum: String(delivery.fragments),
        seq: String(seq),
        trace_id: randomBytes(8).toString('hex'),
      };
      socket.send(encodeFrame({ seqId: this.#next(), logId: this.#next(), service: 1, method: 1, headers, payload }));
    }
    this.#scheduleRepeat(delivery);
  }

  #scheduleRepeat(delivery: Delivery): void {
    const before = delivery.tries === 0 ? 0 : (REDELIVERY_MS[delivery.tries - 1] ?? 0);
    const at = REDELIVERY_MS[delivery.tries];
    delivery.tries += 1;
    if (at === undefined) return;
    const timer = this.#clock.after(at - before, () => {
      this.#timers.delete(timer);
      this.#deliver(delivery);
    });
    this.#timers.add(timer);
  }

  #receive(socket: WebSocket, data: Buffer): void {
    const frame = decodeFrame(data);
    if (frame.method === 0 && frame.headers['type'] === 'ping') {
      this.pings += 1;
      if (!this.answersPings) return;
      const payload = Buffer.from(JSON.stringify(this.clientConfig()));
      socket.send(encodeFrame({ ...frame, headers: { type: 'pong' }, payload }));
      return;
    }
    const eventId = frame.headers['message_id'] ?? '';
    const answer: unknown = JSON.parse(frame.payload.toString('utf8'));
    const code = typeof answer === 'object' && answer !== null && 'code' in answer ? Number(answer.code) : -1;
    this.acks.push({ eventId, code });
    const delivery = this.#sent.get(eventId);
    if (delivery && code === 200 && this.heedsAcks) delivery.done = true;
  }

  clientConfig(): Record<string, number> {
    return { PingInterval: this.pingIntervalS, ReconnectCount: 0, ReconnectInterval: 1, ReconnectNonce: 0 };
  }

  #next(): bigint {
    this.#sequence += 1n;
    return this.#sequence;
  }
}
