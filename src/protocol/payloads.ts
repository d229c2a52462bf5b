import Type, { type Static } from 'typebox';
import { optional } from './optional.js';

/** Payloads an xAgent sends (protocol 3.0 section 8, IM Profile v2 sections 5 to 8). Extra fields are ignored. */

export const HelloPayload = Type.Object({
  connector_card_id: Type.String({ minLength: 1 }),
  connector_id: optional(Type.String()),
  protocol_version: Type.Optional(Type.Unknown()),
  supported_profiles: Type.Array(Type.String()),
  /** Who connects, where an agent says so: `{name, version}`. Not of the specification, so whatever it holds is no error. */
  client: Type.Optional(Type.Unknown()),
});
export type HelloPayload = Static<typeof HelloPayload>;

export const AuthStartPayload = Type.Object({
  flow_id: optional(Type.String()),
  input: optional(Type.Record(Type.String(), Type.Unknown())),
});
export type AuthStartPayload = Static<typeof AuthStartPayload>;

export const AuthStatusPayload = Type.Object({
  flow_id: optional(Type.String()),
  auth_session_id: optional(Type.String()),
  refresh: optional(Type.Boolean()),
  /** Our documented way to supply what `input_required` of an ack asks for, such as a verify code. */
  input: optional(Type.Record(Type.String(), Type.Unknown())),
});
export type AuthStatusPayload = Static<typeof AuthStatusPayload>;

export const AuthCancelPayload = Type.Object({ auth_session_id: optional(Type.String()) });
export type AuthCancelPayload = Static<typeof AuthCancelPayload>;

export const ToolInvokePayload = Type.Object({
  tool_id: Type.String({ minLength: 1 }),
  arguments: optional(Type.Record(Type.String(), Type.Unknown())),
  context: optional(Type.Object({ session_id: optional(Type.String()), tool_call_id: optional(Type.String()) })),
});
export type ToolInvokePayload = Static<typeof ToolInvokePayload>;

export const FileType = Type.Union([
  Type.Literal('image'),
  Type.Literal('video'),
  Type.Literal('audio'),
  Type.Literal('file'),
]);
export type FileType = Static<typeof FileType>;

/** A file as an agent refers to it in a final message: it was uploaded before (section 5.1). */
const OutboundFileItem = Type.Object({
  type: FileType,
  file_ref: Type.String({ minLength: 1 }),
  filename: optional(Type.String()),
  mime_type: optional(Type.String()),
  byte_size: optional(Type.Integer({ minimum: 0 })),
  expires_at: optional(Type.Integer({ minimum: 0 })),
});

export const ChatMessagePayload = Type.Object({
  message_id: Type.String({ minLength: 1 }),
  text: optional(Type.String()),
  files: optional(Type.Array(OutboundFileItem)),
  created_at: optional(Type.Integer({ minimum: 0 })),
});
export type ChatMessagePayload = Static<typeof ChatMessagePayload>;

export const ChatDeltaPayload = Type.Object({
  message_id: Type.String({ minLength: 1 }),
  sequence: Type.Integer({ minimum: 1 }),
  text: Type.String(),
});
export type ChatDeltaPayload = Static<typeof ChatDeltaPayload>;

export const ChatAckPayload = Type.Object({
  message_id: Type.String({ minLength: 1 }),
  status: Type.Union([Type.Literal('accepted'), Type.Literal('duplicate'), Type.Literal('rejected')]),
  code: optional(Type.String()),
  message: optional(Type.String()),
  retryable: optional(Type.Boolean()),
});
export type ChatAckPayload = Static<typeof ChatAckPayload>;

/** IM Profile v2 section 8: `tool_name` at most 256 bytes, required with `tool` and forbidden otherwise. */
export const ChatActivityPayload = Type.Union([
  Type.Object({ status: Type.Literal('tool'), tool_name: Type.String({ minLength: 1, maxLength: 256 }) }),
  Type.Object({
    status: Type.Union([Type.Literal('thinking'), Type.Literal('idle')]),
    tool_name: Type.Optional(Type.Undefined()),
  }),
]);
export type ChatActivityPayload = Static<typeof ChatActivityPayload>;

/** A file as this server offers it to an agent (IM Profile v2 section 5): `download_url` is always there. */
export interface InboundFileItem {
  type: FileType;
  file_ref: string;
  filename: string;
  mime_type: string;
  byte_size: number;
  expires_at: number;
  download_url: string;
}
