// An agent that does what a figure needs and nothing else.
import { randomUUID } from 'node:crypto';
import { API_KEY } from './host.mjs';
import { frameOf, openWebSocket } from './web-socket.mjs';

/** How long one request may take on a machine that is busy otherwise. */
const REQUEST_MS = 60_000;

let number = 0;

/** The text of a packet from an agent. */
export function packet(type, { channel, payload = {}, replyTo, requestId } = {}) {
  number += 1;
  return JSON.stringify({
    schema: 'xagent.connector.packet/v1',
    packet_id: `p${number}`,
    request_id: requestId ?? `r${number}`,
    ...(replyTo === undefined ? {} : { reply_to: replyTo }),
    ...(channel === undefined ? {} : { connector_channel_id: channel }),
    type,
    time: Date.now(),
    payload,
  });
}

/** The ack that ends a message. */
export function ackFrame({ packet_id: replyTo, connector_channel_id: channel, payload }) {
  const { message_id } = payload;
  return frameOf(packet('chat.message.ack', { channel, replyTo, payload: { message_id, status: 'accepted' } }));
}

export function finalPacket(channel, text, messageId = randomUUID()) {
  return packet('chat.message', { channel, payload: { message_id: messageId, text, created_at: Date.now() } });
}

export class Agent {
  /** Called with every packet that answers no request. */
  onPacket = () => undefined;
  #waiting = new Map();
  #socket;

  /** Opens the data plane of one connector and says hello. */
  static async connect(hostUrl, connector, { connectorId = '' } = {}) {
    const agent = new Agent();
    agent.#socket = await openWebSocket(`${hostUrl}/${connector}/ws`, {
      Authorization: `Bearer ${API_KEY}`,
      'Sec-WebSocket-Protocol': 'xagent.connector.packet.v1',
    });
    agent.listen();
    const hello = await agent.request('connector.hello', {
      payload: {
        connector_card_id: `im.${connector}`,
        connector_id: connectorId,
        protocol_version: '3.0',
        supported_profiles: ['xagent.im.v2'],
      },
    });
    agent.connectorId = hello.payload.connector_id;
    return agent;
  }

  get socket() {
    return this.#socket;
  }

  /** Reads packets again after a figure has read the bare frames. */
  listen() {
    this.#socket.onText = (bytes) => this.#receive(bytes);
  }

  request(type, options = {}) {
    const text = packet(type, options);
    const { request_id: id } = JSON.parse(text);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${type} was not answered in time`)), REQUEST_MS);
      this.#waiting.set(id, (answer) => {
        clearTimeout(late);
        if (answer.error) reject(new Error(`${type}: ${answer.error.code} ${answer.error.message}`));
        else resolve(answer);
      });
      this.#socket.send(text);
    });
  }

  /** Opens a channel: a new one, or one that this agent had before. */
  async open(channel = '') {
    return (await this.request('channel.open', { channel })).payload.connector_channel_id;
  }

  /** A new channel with an account of its own, ready to be written to. */
  async bind(flowId, input) {
    const channel = await this.open();
    let state = (await this.request('auth.start', { channel, payload: { flow_id: flowId, input } })).payload;
    while (state.status === 'pending') {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const payload = { auth_session_id: state.auth_session_id };
      state = (await this.request('auth.status', { channel, payload })).payload;
    }
    if (state.status !== 'authenticated') throw new Error(`${flowId} ended as ${state.status}: ${state.message}`);
    return channel;
  }

  bindLocal(name) {
    return this.bind('local_pairing', { display_name: name });
  }

  /** Until the channel's account has a working session. */
  async connected(channel) {
    for (;;) {
      const { payload } = await this.request('connection.descriptor.get', { channel });
      if (payload.connection_descriptor.connection.status === 'connected') return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The accounts of a connector's channels, by channel. */
  static async accountsOf(hostUrl, connector) {
    const response = await fetch(`${hostUrl}/status`, { headers: { authorization: `Bearer ${API_KEY}` } });
    const { connectors } = await response.json();
    const found = connectors.find((each) => each.connector_card_id === `im.${connector}`);
    return new Map(found.channels.map((each) => [each.connector_channel_id, each.account_id]));
  }

  close() {
    return this.#socket.close();
  }

  #receive(bytes) {
    const received = JSON.parse(bytes.toString());
    const waiting = this.#waiting.get(received.request_id);
    if (waiting === undefined) {
      this.onPacket(received);
      return;
    }
    this.#waiting.delete(received.request_id);
    waiting(received);
  }
}
