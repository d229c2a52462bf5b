import Type, { type Static } from 'typebox';
import { PACKET_SCHEMA } from './version.js';

/** Packet envelope, protocol 3.0 section 7. Unknown fields are ignored on input and never emitted. */
export const PacketSchema = Type.Object({
  schema: Type.Literal(PACKET_SCHEMA),
  packet_id: Type.String({ minLength: 1 }),
  request_id: Type.Optional(Type.String()),
  reply_to: Type.Optional(Type.String()),
  connector_channel_id: Type.Optional(Type.String()),
  type: Type.String({ minLength: 1 }),
  time: Type.Optional(Type.Integer({ minimum: 0 })),
  payload: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  error: Type.Optional(Type.Object({ code: Type.String({ minLength: 1 }), message: Type.Optional(Type.String()) })),
});

export type Packet = Static<typeof PacketSchema>;
export type Payload = Record<string, unknown>;

/** Packet types of section 8 and of the IM profiles, by direction. */
export const ClientPacketType = [
  'connector.hello',
  'channel.open',
  'channel.close',
  'auth.start',
  'auth.status',
  'auth.cancel',
  'auth.logout',
  'connection.descriptor.get',
  'tool.invoke',
  'chat.message',
  'chat.message.delta',
  'chat.message.ack',
  'chat.activity',
  'ping',
  'pong',
  'error',
] as const;
export type ClientPacketType = (typeof ClientPacketType)[number];
