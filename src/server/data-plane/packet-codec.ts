import { newId } from '../../base/ids.js';
import { PACKET_SCHEMA, type Payload } from '../../protocol/index.js';
import { exceedsDepth } from './json-depth.js';

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

/** Reads one text frame. Written out by hand: it runs for every packet, and a fault must still give what could be read. */
export function decodePacket(text: string): Decoded {
  if (exceedsDepth(text, MAX_DEPTH)) return fault('the packet nests too deeply');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fault('the frame is not JSON');
  }
  if (!isObject(value)) return fault('a packet is a JSON object');

  const {
    schema,
    packet_id: packetId,
    request_id: requestId,
    reply_to: replyTo,
    connector_channel_id: channelId,
    type,
    payload,
  } = value;
  const origin = {
    packetId: typeof packetId === 'string' && packetId !== '' ? packetId : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
    channelId: typeof channelId === 'string' && channelId !== '' ? channelId : undefined,
  };
  if (schema !== PACKET_SCHEMA) return fault(`schema must be ${PACKET_SCHEMA}`, origin);
  if (origin.packetId === undefined) return fault('packet_id is required', origin);
  if (typeof type !== 'string' || type === '') return fault('type is required', origin);
  if (!isTextOrAbsent(requestId)) return fault('request_id must be a string', origin);
  if (!isTextOrAbsent(channelId)) return fault('connector_channel_id must be a string', origin);
  if (!isTimeOrAbsent(value['time'])) return fault('time must be Unix milliseconds', origin);
  if (!isObjectOrAbsent(payload)) return fault('payload must be an object', origin);
  return {
    ok: true,
    packet: {
      type,
      packetId: origin.packetId,
      requestId: origin.requestId,
      channelId: origin.channelId,
      replyTo: typeof replyTo === 'string' ? replyTo : undefined,
      payload: payload ?? {},
    },
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

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isObjectOrAbsent(value: unknown): value is Payload | null | undefined {
  return value === undefined || value === null || isObject(value);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'string';
}

function isTimeOrAbsent(value: unknown): boolean {
  return value === undefined || value === null || (Number.isInteger(value) && Number(value) >= 0);
}
