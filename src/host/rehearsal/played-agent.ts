import { WebSocket, type RawData } from 'ws';
import { newId } from '../../base/ids.js';
import { parseJson } from '../../base/parse-json.js';
import { DATA_PLANE_SUBPROTOCOL, PACKET_SCHEMA } from '../../protocol/index.js';
import { fieldsOf, textOf } from '../../targets/json-fields.js';
import { StepFailure } from './step-failure.js';

/** A packet from the server, as far as a rehearsal looks at it. */
export interface PlayedPacket {
  readonly type: string;
  readonly packetId: string;
  readonly replyTo: string | undefined;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly errorCode: string | undefined;
}

type Wanted = (packet: PlayedPacket) => boolean;

interface Waiting {
  readonly wanted: Wanted;
  readonly found: (packet: PlayedPacket) => void;
  readonly lost: () => void;
}

/** An agent's end of the data plane (protocol 3.0 sections 6 to 8), as small as a rehearsal needs it. */
export class PlayedAgent {
  readonly #received: PlayedPacket[] = [];
  readonly #waiting = new Set<Waiting>();
  #gone = false;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => this.#receive(data));
    socket.on('close', () => {
      this.#gone = true;
      for (const { lost } of this.#waiting) lost();
      this.#waiting.clear();
    });
  }

  /** @throws StepFailure `hello_refused`, `server_unreachable` */
  static open(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<PlayedAgent> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, DATA_PLANE_SUBPROTOCOL, { headers, perMessageDeflate: false });
      const agent = new PlayedAgent(socket);
      socket.on('unexpected-response', (_request, { statusCode }) => {
        reject(new StepFailure('hello_refused', `the upgrade was answered ${String(statusCode)}`));
        socket.terminate();
      });
      // Also keeps an error after the opening from ending the process; 'close' follows and tells the rest.
      socket.on('error', () => reject(new StepFailure('server_unreachable')));
      socket.on('open', () => resolve(agent));
      signal.addEventListener('abort', () => socket.terminate(), { once: true });
    });
  }

  /** Sends a packet and gives its id. */
  send(type: string, payload: object, channelId?: string): string {
    const packetId = newId('pkt');
    this.socket.send(
      JSON.stringify({
        schema: PACKET_SCHEMA,
        packet_id: packetId,
        request_id: newId('pkt'),
        connector_channel_id: channelId,
        type,
        payload,
      }),
    );
    return packetId;
  }

  /** Answers a packet of the server. */
  reply(type: string, payload: object, to: PlayedPacket, channelId: string): void {
    const reply = { schema: PACKET_SCHEMA, packet_id: newId('pkt'), reply_to: to.packetId, type, payload };
    this.socket.send(JSON.stringify({ ...reply, connector_channel_id: channelId }));
  }

  /** Sends a packet and resolves with what answers it. @throws StepFailure `connection_lost` */
  request(type: string, payload: object, channelId?: string): Promise<PlayedPacket> {
    const packetId = this.send(type, payload, channelId);
    return this.next(({ replyTo }) => replyTo === packetId);
  }

  /** The first packet that is wanted, received already or to come. @throws StepFailure `connection_lost` */
  next(wanted: Wanted): Promise<PlayedPacket> {
    const had = this.#received.find(wanted);
    if (had !== undefined) return Promise.resolve(had);
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(new StepFailure('connection_lost'));
      if (this.#gone) lost();
      else this.#waiting.add({ wanted, found: resolve, lost });
    });
  }

  /** Resolves when the socket is closed. */
  async close(): Promise<void> {
    if (this.#gone) return;
    const closed = new Promise<void>((resolve) => this.socket.once('close', () => resolve()));
    this.socket.close(1000);
    await closed;
  }

  terminate(): void {
    this.socket.terminate();
  }

  #receive(data: RawData): void {
    const packet = Buffer.isBuffer(data) ? readPacket(data.toString('utf8')) : undefined;
    if (packet === undefined) return;
    this.#received.push(packet);
    for (const waiting of this.#waiting) {
      if (!waiting.wanted(packet)) continue;
      this.#waiting.delete(waiting);
      waiting.found(packet);
    }
  }
}

function readPacket(text: string): PlayedPacket | undefined {
  const { type, packet_id, reply_to, payload, error } = fieldsOf(parseJson(text));
  const packetId = textOf(packet_id);
  if (typeof type !== 'string' || packetId === undefined) return undefined;
  const errorCode = textOf(fieldsOf(error)['code']);
  return { type, packetId, replyTo: textOf(reply_to), payload: fieldsOf(payload), errorCode };
}
