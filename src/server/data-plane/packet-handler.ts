import type { Clock } from '../../base/clock.js';
import { ProtocolError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Connector } from '../../connector/connector.js';
import type { DataPlaneLink } from '../../connector/link.js';
import type { Delivery } from '../../delivery/delivery.js';
import type { FileStore } from '../../files/file-store.js';
import { ErrorCode } from '../../protocol/index.js';
import type { ClientPacket } from './packet-codec.js';
import type { Transmissions } from './transmissions.js';

/** What handlers work with: one connector's parts and the socket a packet came from. */
export interface PacketContext {
  readonly connector: Connector;
  readonly delivery: Delivery;
  readonly files: FileStore;
  readonly transmissions: Transmissions;
  readonly link: DataPlaneLink;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The packet that answers; `request_id`, `reply_to` and, unless given, the channel come from the packet it answers. */
export interface Reply {
  readonly type: string;
  readonly channelId?: string;
  readonly payload?: object;
}

/**
 * Handles one packet type. It is called in order of arrival and does whatever order matters for before its first `await`;
 * what it returns a promise for runs beside the packets that follow. It throws ProtocolError for an answer of type `error`
 * and AckError for an ack with an error.
 */
export type PacketHandler = (
  context: PacketContext,
  packet: ClientPacket,
) => Reply | undefined | Promise<Reply | undefined>;

/** The channel of a user-level packet. @throws ProtocolError `connector_channel_id_required` */
export function requireChannel(packet: ClientPacket): string {
  if (packet.channelId !== undefined) return packet.channelId;
  throw new ProtocolError(ErrorCode.connectorChannelIdRequired, `${packet.type} needs connector_channel_id`);
}

/** The ack of a packet type: `auth.start` gives `auth.start.ack`. */
export function ackType(type: string): string {
  return `${type}.ack`;
}
