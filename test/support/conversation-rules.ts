import { statusOf } from './agent-packets.js';
import { checkDescriptor, records, type WirePacket } from './wire-rules.js';

/** Rules that need memory: ids used once, one answer per request, order after hello and open, identities of descriptors. */
export class ConversationRules {
  card: Record<string, unknown> = {};
  /** As the newest hello gave it; empty before. */
  connectorId = '';
  #helloDone = false;
  readonly #profiles: readonly string[];
  readonly #sent = new Map<string, { type: string; requestId: string | undefined; channelId: string | undefined }>();
  readonly #answered = new Map<string, number>();
  readonly #seenPacketIds = new Set<string>();
  readonly #openChannels = new Set<string>();
  /** By channel: the status its newest descriptor named. */
  readonly #statuses = new Map<string, string>();
  /** Channels that were not signed in when their `auth.start` was sent, by its packet id. */
  readonly #startedOn = new Map<string, string>();

  constructor(profiles: readonly string[]) {
    this.#profiles = profiles;
  }

  get cardId(): string {
    return String(this.card['connector_card_id']);
  }

  get toolIds(): string[] {
    return records(this.card['tools']).map((tool) => String(tool['tool_id']));
  }

  sent(packet: WirePacket): void {
    this.#sent.set(packet.packet_id, {
      type: packet.type,
      requestId: packet.request_id,
      channelId: packet.connector_channel_id,
    });
    const { connector_channel_id: channelId } = packet;
    if (packet.type === 'auth.start' && channelId !== undefined && !this.#isSignedIn(channelId)) {
      this.#startedOn.set(packet.packet_id, channelId);
    }
  }

  /** Every rule that a packet from the server breaks, given all that went before it. */
  check(packet: WirePacket): string[] {
    if (packet.type === 'connector.hello.ack' && packet.error === undefined) {
      this.#helloDone = true;
      this.connectorId = String(packet.payload?.['connector_id']);
    }
    this.#followChannel(packet);
    return [...this.#checkIds(packet), ...this.#checkDescriptor(packet), ...this.#checkRoute(packet)];
  }

  #followChannel({ type, connector_channel_id: channelId, reply_to: replyTo, error, payload }: WirePacket): void {
    if (replyTo !== undefined) this.#startedOn.delete(replyTo);
    if (channelId === undefined || error !== undefined) return;
    if (type === 'channel.open.ack') this.#openChannels.add(channelId);
    if (type === 'channel.close.ack') this.#openChannels.delete(channelId);
    const descriptor = payload?.['connection_descriptor'];
    if (descriptor !== undefined) this.#statuses.set(channelId, statusOf(descriptor));
  }

  /** A message comes only to an agent that knows the channel to be open and signed in (sections 8.3 to 8.5). */
  #checkRoute({ type, connector_channel_id: channelId }: WirePacket): string[] {
    if (type !== 'chat.message' && type !== 'message.push') return [];
    if (channelId === undefined || !this.#openChannels.has(channelId)) {
      return [`${type} on a channel without channel.open.ack (section 8.4)`];
    }
    if ([...this.#startedOn.values()].includes(channelId)) return [`${type} before auth.start.ack (section 8.3)`];
    return this.#isSignedIn(channelId) ? [] : [`${type} before a descriptor says that the channel is signed in`];
  }

  #isSignedIn(channelId: string): boolean {
    const status = this.#statuses.get(channelId);
    return status !== undefined && status !== 'created' && status !== 'authenticating';
  }

  #checkIds(packet: WirePacket): string[] {
    const faults: string[] = [];
    if (this.#seenPacketIds.has(packet.packet_id))
      faults.push(`${packet.type}: packet_id ${packet.packet_id} used twice`);
    this.#seenPacketIds.add(packet.packet_id);
    if (!this.#helloDone && packet.connector_channel_id && packet.type !== 'error') {
      faults.push(`${packet.type} before hello (section 6)`);
    }
    if (packet.reply_to === undefined) {
      if (packet.request_id !== undefined && packet.type !== 'ping' && packet.type !== 'error')
        faults.push(`${packet.type}: request_id without reply_to`);
      return faults;
    }
    const sent = this.#sent.get(packet.reply_to);
    if (!sent) faults.push(`${packet.type}: reply_to points to nothing we sent`);
    else if (sent.requestId !== packet.request_id) faults.push(`${packet.type}: request_id is not returned unchanged`);
    const count = (this.#answered.get(packet.reply_to) ?? 0) + 1;
    this.#answered.set(packet.reply_to, count);
    if (count > 1) faults.push(`${packet.type}: answer number ${count} to one packet`);
    if (sent && packet.type !== 'error' && packet.type !== expectedAnswer(sent.type)) {
      faults.push(`${packet.type} answers ${sent.type}`);
    }
    if (sent && packet.type === 'chat.message.ack' && packet.connector_channel_id !== sent.channelId) {
      faults.push('chat.message.ack of another channel');
    }
    return faults;
  }

  #checkDescriptor(packet: WirePacket): string[] {
    const descriptor = packet.payload?.['connection_descriptor'];
    if (descriptor === undefined) return [];
    const channelId = packet.connector_channel_id;
    const declared = records([this.card['supports']]).flatMap((s): unknown[] =>
      Array.isArray(s['profiles']) ? s['profiles'] : [],
    );
    return checkDescriptor(descriptor, {
      cardId: this.cardId,
      ...(this.connectorId === '' ? {} : { connectorId: this.connectorId }),
      ...(channelId === undefined ? {} : { channelId }),
      profiles: this.#profiles.filter((profile) => declared.includes(profile)),
      toolIds: this.toolIds,
    });
  }
}

function expectedAnswer(type: string): string {
  return type === 'ping' ? 'pong' : `${type}.ack`;
}
