import { ProtocolError } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { exceedsDepth } from '../../base/json-depth.js';
import { ClientPacketSchema, PACKET_SCHEMA, checker, type Payload } from '../../protocol/index.js';

/** A packet from an agent whose envelope is in order (section 7). Unknown fields are gone, an absent payload is empty. */
export interface ClientPacket extends PacketOrigin {
  readonly type: string;
  readonly packetId: string;
  readonly replyTo: string | undefined;
  readonly payload: Payload;
}

/** What an answer refers to; of a packet with a broken envelope, whatever could be read. */
export interface PacketOrigin {
  readonly packetId: string | undefined;
  readonly requestId: string | undefined;
  /** Undefined when missing or empty. */
  readonly channelId: string | undefined;
}

/** An answer to a frame of which nothing could be read. */
export const UNKNOWN_ORIGIN: PacketOrigin = { packetId: undefined, requestId: undefined, channelId: undefined };

export type Decoded =
  | { readonly ok: true; readonly packet: ClientPacket }
  | { readonly ok: false; readonly reason: string; readonly origin: PacketOrigin };

/** A packet to an agent; ids and time are added by {@link encodePacket}. */
export interface ServerPacket {
  readonly type: string;
  readonly packetId?: string;
  readonly requestId?: string | undefined;
  readonly replyTo?: string | undefined;
  readonly channelId?: string | undefined;
  readonly payload?: object | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** No packet of the protocol nests deeper than about ten; tool arguments get room beyond that. */
const MAX_DEPTH = 32;

const checkEnvelope = checker(ClientPacketSchema, 'packet');

/** Reads one text frame; a packet that is at fault still gives what could be read of it. */
export function decodePacket(text: string): Decoded {
  if (exceedsDepth(text, MAX_DEPTH)) return fault('the packet nests too deeply');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault('the frame is not JSON');
  }
  try {
    const envelope = checkEnvelope(value);
    const { packet_id: packetId, request_id: requestId, reply_to: replyTo, type, payload } = envelope;
    const { connector_channel_id: channelId } = envelope;
    return {
      ok: true,
      packet: {
        type,
        packetId,
        requestId: requestId ?? undefined,
        channelId: nonEmpty(channelId),
        replyTo: replyTo ?? undefined,
        payload: payload ?? {},
      },
    };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return fault(error.message, originOf(value));
  }
}

function originOf(value: unknown): PacketOrigin {
  if (typeof value !== 'object' || value === null) return UNKNOWN_ORIGIN;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const { packet_id: packetId, request_id: requestId, connector_channel_id: channelId } = fields;
  return {
    packetId: nonEmpty(packetId),
    requestId: typeof requestId === 'string' ? requestId : undefined,
    channelId: nonEmpty(channelId),
  };
}

/** @param time Unix ms */
export function encodePacket(packet: ServerPacket, time: number): string {
  return JSON.stringify({
    schema: PACKET_SCHEMA,
    packet_id: packet.packetId ?? newId('pkt'),
    request_id: packet.requestId,
    reply_to: packet.replyTo,
    connector_channel_id: packet.channelId,
    type: packet.type,
    time,
    payload: packet.payload,
    error: packet.error,
  });
}

function fault(reason: string, origin = UNKNOWN_ORIGIN): Decoded {
  return { ok: false, reason, origin };
}

/** Empty is as good as missing. */
function nonEmpty(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
