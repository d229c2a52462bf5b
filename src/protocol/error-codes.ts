/**
 * Every stable code this server puts on the wire. The first block is of the table of protocol 3.0 section 8.23,
 * the second names what that table leaves open (see docs/protocol-notes.md).
 */
export const ErrorCode = {
  invalidPacket: 'invalid_packet',
  helloRequired: 'hello_required',
  connectorCardIdMismatch: 'connector_card_id_mismatch',
  channelNotOpen: 'channel_not_open',
  connectorChannelIdRequired: 'connector_channel_id_required',
  connectorChannelUnavailable: 'connector_channel_unavailable',
  connectionNotFound: 'connection_not_found',
  connectionNotAuthenticated: 'connection_not_authenticated',
  authSessionNotFound: 'auth_session_not_found',
  toolInvokeFailed: 'tool_invoke_failed',
  unsupportedPacket: 'unsupported_packet',

  protocolVersionUnsupported: 'protocol_version_unsupported',
  profileNotSupported: 'profile_not_supported',
  authStartFailed: 'auth_start_failed',
  deltaSequenceConflict: 'delta_sequence_conflict',
  messageIdConflict: 'message_id_conflict',
  idempotencyConflict: 'idempotency_conflict',
  deliveryUnknown: 'delivery_unknown',
  targetDeliveryFailed: 'target_delivery_failed',
  targetUnreachable: 'target_unreachable',
  fileRefNotFound: 'file_ref_not_found',
  internalError: 'internal_error',
} as const;

export type ErrorCode = (typeof ErrorCode)[keyof typeof ErrorCode];
