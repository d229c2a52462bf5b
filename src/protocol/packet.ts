import Type, { type Static } from 'typebox';
import { optional } from './optional.js';
import { PACKET_SCHEMA } from './version.js';

const envelope = {
  schema: Type.Literal(PACKET_SCHEMA),
  packet_id: Type.String({ minLength: 1 }),
  request_id: optional(Type.String()),
  reply_to: optional(Type.String()),
  connector_channel_id: optional(Type.String()),
  type: Type.String({ minLength: 1 }),
  /** Unix ms. */
  time: optional(Type.Integer({ minimum: 0 })),
  payload: optional(Type.Record(Type.String(), Type.Unknown())),
};

/** Packet envelope, protocol 3.0 section 7. Unknown fields are ignored on input and never emitted. */
export const PacketSchema = Type.Object({
  ...envelope,
  error: optional(Type.Object({ code: Type.String({ minLength: 1 }), message: optional(Type.String()) })),
});
export type Packet = Static<typeof PacketSchema>;

/** What a packet of an agent must be. Its `error` is not looked at: an error about an error could go round for ever. */
export const ClientPacketSchema = Type.Object(envelope);

export type Payload = Record<string, unknown>;
