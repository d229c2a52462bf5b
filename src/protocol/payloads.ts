import Type, { type Static } from 'typebox';

/** Payloads an xAgent sends (protocol 3.0 section 8, IM Profile v2 sections 5 to 8). Extra fields are ignored. */

export const HelloPayload = Type.Object({
  connector_card_id: Type.String({ minLength: 1 }),
  connector_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  protocol_version: Type.Optional(Type.Unknown()),
  supported_profiles: Type.Array(Type.String()),
});
export type HelloPayload = Static<typeof HelloPayload>;

export const AuthStartPayload = Type.Object({
  flow_id: Type.Optional(Type.String()),
  input: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});
export type AuthStartPayload = Static<typeof AuthStartPayload>;

export const AuthStatusPayload = Type.Object({
  flow_id: Type.Optional(Type.String()),
  auth_session_id: Type.Optional(Type.String()),
  refresh: Type.Optional(Type.Boolean()),
  /** Our documented way to supply what `input_required` of an ack asks for, such as a verify code. */
  input: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
});
export type AuthStatusPayload = Static<typeof AuthStatusPayload>;

export const AuthCancelPayload = Type.Object({ auth_session_id: Type.Optional(Type.String()) });
export type AuthCancelPayload = Static<typeof AuthCancelPayload>;

export const ToolInvokePayload = Type.Object({
  tool_id: Type.String({ minLength: 1 }),
  arguments: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  context: Type.Optional(
    Type.Union([
      Type.Object({
        session_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        tool_call_id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
      Type.Null(),
    ]),
  ),
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
export const OutboundFileItem = Type.Object({
  type: FileType,
  file_ref: Type.String({ minLength: 1 }),
  filename: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  mime_type: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  byte_size: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
  expires_at: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
});
export type OutboundFileItem = Static<typeof OutboundFileItem>;

export const ChatMessagePayload = Type.Object({
  message_id: Type.String({ minLength: 1 }),
  text: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  files: Type.Optional(Type.Union([Type.Array(OutboundFileItem), Type.Null()])),
  created_at: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
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
  code: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  message: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  retryable: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});
export type ChatAckPayload = Static<typeof ChatAckPayload>;

/** IM Profile v2 section 8: `tool_name` at most 256 bytes, required with `tool` and forbidden otherwise. */
export const ChatActivityPayload = Type.Union([
  Type.Object({ status: Type.Literal('tool'), tool_name: Type.String({ minLength: 1, maxLength: 256 }) }),
  Type.Object({ status: Type.Union([Type.Literal('thinking'), Type.Literal('idle')]), tool_name: Type.Optional(Type.Undefined()) }),
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
