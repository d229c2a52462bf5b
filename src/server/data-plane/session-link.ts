import { newId } from '../../base/ids.js';
import { TransportError } from '../../base/errors.js';
import type { Clock } from '../../base/clock.js';
import type { Connector } from '../../connector/connector.js';
import type { DataPlaneLink } from '../../connector/link.js';
import type { OfferedMessage, Upstream } from '../../delivery/delivery.js';
import { IM_V1, IM_V2, type ConnectionDescriptor } from '../../protocol/index.js';
import { chatMessagePayload, messagePushPayload } from './inbound-packets.js';
import type { Outbox } from './outbox.js';
import { encodePacket } from './packet-codec.js';
import type { Transmissions } from './transmissions.js';

export interface SessionLinkParts {
  readonly linkId: string;
  readonly connector: Pick<Connector, 'card' | 'replyToolId'>;
  readonly outbox: Outbox;
  readonly transmissions: Transmissions;
  readonly clock: Clock;
}

/** One data-plane socket as its connector sees it: descriptors are pushed and messages are offered through it. */
export class SessionLink implements DataPlaneLink {
  readonly linkId: string;
  profiles: readonly string[] = [];
  readonly #parts: SessionLinkParts;
  #open = false;

  constructor(parts: SessionLinkParts) {
    this.linkId = parts.linkId;
    this.#parts = parts;
  }

  /** Whether hello was accepted and the socket is not closing. */
  get open(): boolean {
    return this.#open;
  }

  /** Hello was accepted, or the socket is going. */
  setOpen(open: boolean): void {
    this.#open = open;
  }

  pushDescriptor(channelId: string, descriptor: ConnectionDescriptor): void {
    if (!this.#open) return;
    const { outbox, clock } = this.#parts;
    const payload = { connection_descriptor: descriptor };
    outbox.send(encodePacket({ type: 'connection.descriptor.push', channelId, payload }, clock.now()));
  }

  upstream(channelId: string): Upstream {
    return { kind: 'xagent', transmit: (message) => this.#transmit(channelId, message) };
  }

  async #transmit(channelId: string, message: OfferedMessage): Promise<'sent' | 'done'> {
    const { outbox } = this.#parts;
    if (!this.#open) throw new TransportError('agent_not_connected', 'the socket is closed', { effect: 'none' });
    if (outbox.congested) {
      throw new TransportError('agent_not_reading', 'the agent does not read its socket', { effect: 'none' });
    }
    // Only what was negotiated is ever sent.
    if (this.profiles.includes(IM_V2)) return this.#sendChatMessage(channelId, message);
    if (this.profiles.includes(IM_V1)) return this.#pushMessage(channelId, message);
    throw new TransportError('profile_not_enabled', 'no message profile is enabled', { effect: 'none' });
  }

  /** IM Profile v2: the verdict comes as `chat.message.ack`. */
  #sendChatMessage(channelId: string, message: OfferedMessage): 'sent' {
    const { outbox, transmissions, clock } = this.#parts;
    // A packet id names one transmission: every redelivery has its own, and an ack to any of them counts.
    const packetId = newId('pkt');
    const payload = chatMessagePayload(message);
    const text = encodePacket({ type: 'chat.message', packetId, channelId, payload }, clock.now());
    transmissions.record(channelId, message.messageId, message.accountId, packetId);
    outbox.sendNow(text);
    return 'sent';
  }

  /**
   * IM Profile v1 knows no acknowledgment: the message counts as delivered once the operating system took the packet for a
   * socket that was open. What an agent loses after that is lost.
   */
  async #pushMessage(channelId: string, message: OfferedMessage): Promise<'done'> {
    const { outbox, connector, clock } = this.#parts;
    const payload = messagePushPayload(connector.card, connector.replyToolId, message);
    try {
      await outbox.sendWritten(encodePacket({ type: 'message.push', channelId, payload }, clock.now()));
    } catch {
      throw new TransportError('agent_not_connected', 'the socket closed during the write', { effect: 'unknown' });
    }
    return 'done';
  }
}
