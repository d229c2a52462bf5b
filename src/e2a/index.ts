/**
 * The E2A contract: models, adapters to ACP and A2A, and the AgentServer wire, as pure functions over plain JSON objects
 * with wire field names. No I/O. Where the implementation differs from its specification, the implementation is followed;
 * `docs/e2a.md` lists those points, and the few where this contract differs on purpose.
 */
export * from './constants.js';
export { GATEWAY_METHODS, type GatewayMethod, isGatewayMethod } from './gateway-methods.js';
export { E2AError, type E2AErrorCode } from './errors.js';
export { isJsonObject, type JsonObject } from './coerce.js';
export { type ClockOptions, normalizeTimestamp, timestampToEpochSeconds, utcNow } from './timestamp.js';

export { type E2AProvenance, E2AProvenanceSchema, type ProvenanceReading } from './provenance.js';
export { type AuthReading, type E2AAuth, E2AAuthSchema } from './auth.js';
export { type E2AFileRef, E2AFileRefSchema } from './file-ref.js';
export {
  type E2AEnvelope,
  E2AEnvelopeSchema,
  type Edition,
  envelopeFromDict,
  type EnvelopeReading,
  envelopeToDict,
} from './envelope.js';
export {
  buildResponse,
  type E2AResponse,
  E2AResponseSchema,
  responseFromDict,
  type ResponseReading,
  responseToDict,
} from './response.js';
export * from './response-body.js';
export * from './validation.js';

export { mergeParamsToAcpPrompt } from './prompt.js';
export {
  type AcpJsonrpcCall,
  e2aResponseToAcpJsonrpcResponse,
  envelopeFromAcpJsonrpc,
  envelopeToAcpJsonrpcCall,
  type JsonrpcCall,
} from './acp-adapter.js';
export { type A2aSendMessage, e2aResponseToA2aStreamPayload, envelopeFromA2aSendMessage } from './a2a-adapter.js';

export {
  type AgentResponse,
  type AgentResponseChunk,
  AgentResponseChunkSchema,
  AgentResponseSchema,
} from './agent-frames.js';
export {
  encodeAgentChunkForWire,
  encodeAgentResponseForWire,
  type EncodeChunkInput,
  type EncodeResponseInput,
} from './wire-encode.js';
export { isE2aResponseWireDict, parseAgentServerWireChunk, parseAgentServerWireUnary } from './wire-decode.js';
export { buildServerPushWire, isServerPush, type ServerPush } from './server-push.js';
export {
  encodeJsonParseErrorWire,
  type JsonParseErrorInput,
  oversizedFallback,
  type OversizedInput,
} from './wire-error-frames.js';

export { buildFallbackE2a, channelContextForChannelReply, isFallbackContext } from './fallback-envelope.js';
export {
  type AgentFields,
  e2aFromAgentFields,
  type GatewayMessage,
  messageToE2a,
  messageToE2aOrFallback,
  messageToLegacyRequest,
} from './gateway-message.js';
export { type AgentRequest, e2aToAgentRequest } from './agent-request.js';

export {
  advanceStream,
  isKeepalive,
  NEW_STREAM,
  StreamChecker,
  type StreamState,
  type StreamVerdict,
  type StreamViolation,
} from './stream-checker.js';

export { envelopeToGatewayChat, textOfEnvelope } from './gateway-chat.js';
export { type AcpV1Call, acpV1CallFromEnvelope, envelopeFromAcpV1Call } from './acp-v1-call.js';
export { AcpV1AnswerStream } from './acp-v1-answer.js';
export { responseFromAcpV1Message } from './acp-v1-message.js';
export { a2aV1RequestFromEnvelope, envelopeFromA2aV1Request } from './a2a-v1-request.js';
export { A2aV1AnswerStream } from './a2a-v1-answer.js';
export { responsesFromA2aV1Event } from './a2a-v1-event.js';
export { A2A_V1_TASK_STATES, type A2aV1TaskState, taskStateV1 } from './a2a-v1-state.js';
export type { AnswerPlace } from './edge-response.js';
