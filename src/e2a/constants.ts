/** Names and strings of the E2A protocol (sections 4, 6 and 12): data only, in the order the protocol lists them. */

/** Payload version this contract speaks (section 4.1). */
export const E2A_PROTOCOL_VERSION = '1.0';

/** Where a message came from before it became E2A (section 4.2). */
export const E2A_SOURCE_PROTOCOLS = ['e2a', 'acp', 'a2a'] as const;
export type E2ASourceProtocol = (typeof E2A_SOURCE_PROTOCOLS)[number];

/** Who caused a request (section 4.3). */
export const IDENTITY_ORIGINS = ['system', 'user', 'agent', 'service'] as const;
export type IdentityOrigin = (typeof IDENTITY_ORIGINS)[number];

/** Section 12.2. */
export const E2A_RESPONSE_STATUSES = ['succeeded', 'failed', 'in_progress'] as const;
export type E2AResponseStatus = (typeof E2A_RESPONSE_STATUSES)[number];

/**
 * Section 12.5 names ten; the implementation also sends `acp.output_request`, `cron` and `plan.approval_required`.
 */
export const E2A_RESPONSE_KINDS = [
  'e2a.complete',
  'e2a.chunk',
  'e2a.error',
  'acp.session_update',
  'acp.prompt_result',
  'acp.jsonrpc_error',
  'acp.output_request',
  'a2a.task',
  'a2a.message',
  'a2a.stream_event',
  'cron',
  'plan.approval_required',
  'ext',
] as const;
export type E2AResponseKind = (typeof E2A_RESPONSE_KINDS)[number];

/** `body.delta_kind` of an `e2a.chunk` (section 12.5). */
export const E2A_DELTA_KINDS = ['text', 'reasoning', 'tool', 'custom'] as const;

/** Keys that ride beside a text delta: who of a team speaks. */
export const SPEAKER_KEYS = ['role', 'member_name'] as const;

/** `body.branch` of an `a2a.stream_event` (section 12.5). */
export const E2A_A2A_STREAM_BRANCHES = ['task', 'message', 'status_update', 'artifact_update'] as const;

/** Section 6. */
export const ACP_CLIENT_TO_AGENT_METHODS = [
  'initialize',
  'authenticate',
  'session/new',
  'session/load',
  'session/list',
  'session/set_mode',
  'session/set_config_option',
  'session/prompt',
  'session/set_model',
  'session/fork',
  'session/resume',
  'session/close',
  'logout',
] as const;

/** Section 6. */
export const ACP_AGENT_TO_CLIENT_METHODS = [
  'session/update',
  'session/request_permission',
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/release',
  'terminal/wait_for_exit',
  'terminal/kill',
  'session/elicitation',
] as const;

/** Section 6. */
export const ACP_NOTIFICATION_NAMES = ['session/cancel', 'session/update', 'session/elicitation/complete'] as const;

/** Values of `session_update_kind` (sections 4.4 and 6). */
export const ACP_SESSION_UPDATE_KINDS = [
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'todo_update',
  'plan',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
] as const;
export type AcpSessionUpdateKind = (typeof ACP_SESSION_UPDATE_KINDS)[number];

/** The ACP method that carries a person's text, and the only one `mergeParamsToAcpPrompt` fills (section 7). */
export const ACP_PROMPT_METHOD = 'session/prompt';

/** Metadata keys of the AgentServer wire (section 12.4): a whole legacy frame that could not be encoded. */
export const E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY = '_e2a_wire_legacy_agent_response';
export const E2A_WIRE_LEGACY_AGENT_CHUNK_KEY = '_e2a_wire_legacy_agent_chunk';
/** Marks a frame the server sent by itself; it may carry a request id that is in flight, so filter before correlating. */
export const E2A_WIRE_SERVER_PUSH_KEY = '_jiuwenswarm_server_push';
export const E2A_INTERNAL_CANCEL_SOURCE_KEY = '_jiuwenswarm_cancel_source';
export const E2A_CANCEL_SOURCE_CLIENT_DISCONNECT = 'client_disconnect';

/** Keys that belong to the codec and must not reach, or come from, a channel's own metadata. */
export const E2A_WIRE_INTERNAL_METADATA_KEYS: ReadonlySet<string> = new Set([
  E2A_INTERNAL_CANCEL_SOURCE_KEY,
  E2A_WIRE_SERVER_PUSH_KEY,
  E2A_WIRE_LEGACY_AGENT_CHUNK_KEY,
  E2A_WIRE_LEGACY_AGENT_RESPONSE_KEY,
]);

/** Where a fallback envelope keeps the request that could not be normalised. */
export const E2A_INTERNAL_CONTEXT_KEY = '_jiuwenswarm';
export const E2A_FALLBACK_FAILED_KEY = 'normalize_failed';
export const E2A_LEGACY_AGENT_REQUEST_KEY = 'legacy_agent_request';
/** Beyond this many bytes of JSON a fallback envelope drops the request's params. */
export const MAX_LEGACY_AGENT_REQUEST_JSON_BYTES = 512_000;

/** What one AgentServer frame may weigh, in bytes of JSON: above it the server sends an error in its place. */
export const AGENT_WS_SEND_BUDGET_BYTES = 6 * 1024 * 1024;

/** `body.code` values of `e2a.error` frames. */
export const E2A_ERROR_CODES = {
  agentError: 'E2A.AGENT_ERROR',
  chatError: 'chat.error',
  wireEncode: 'E2A.WIRE_ENCODE_ERROR',
  invalidJson: 'E2A.INVALID_JSON',
  responseTooLarge: 'response_too_large',
} as const;

/** JSON-RPC 2.0 "Internal error", for failures that have no number of their own. */
export const JSONRPC_INTERNAL_ERROR = -32603;

const CONVERTER_PRODUCT = 'xagent-connector-desktop.e2a';

/** `provenance.converter` of this product, shaped like the implementation's: package, module, then the operation. */
export const E2A_CONVERTERS = {
  fromAcp: `${CONVERTER_PRODUCT}.adapters:envelope_from_acp_jsonrpc`,
  fromA2a: `${CONVERTER_PRODUCT}.adapters:envelope_from_a2a_send_message`,
  acpAnswer: `${CONVERTER_PRODUCT}.acp_v1:response_from_acp_v1_message`,
  a2aAnswer: `${CONVERTER_PRODUCT}.a2a_v1:responses_from_a2a_v1_event`,
  agentResponse: `${CONVERTER_PRODUCT}.gateway_normalize:e2a_response_from_agent_response`,
  agentChunk: `${CONVERTER_PRODUCT}.gateway_normalize:e2a_response_from_agent_chunk`,
  responseFallback: `${CONVERTER_PRODUCT}.wire_codec:_fallback_wire_unary_from_legacy`,
  chunkFallback: `${CONVERTER_PRODUCT}.wire_codec:_fallback_wire_chunk_from_legacy`,
  jsonParseError: `${CONVERTER_PRODUCT}.wire_codec:encode_json_parse_error_wire`,
  serverPush: `${CONVERTER_PRODUCT}.gateway_push:build_server_push_wire`,
} as const;
