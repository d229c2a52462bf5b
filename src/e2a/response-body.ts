import Type, { type TSchema } from 'typebox';
import {
  ACP_SESSION_UPDATE_KINDS,
  E2A_A2A_STREAM_BRANCHES,
  E2A_DELTA_KINDS,
  type E2AResponseKind,
} from './constants.js';
import { JsonObjectSchema } from './schema-parts.js';

/** What `body` holds, by `response_kind` (section 12.5). More keys than these may stand in any of them. */

const External = Type.Object({
  protocol: Type.Enum(['acp', 'a2a']),
  type: Type.String(),
  payload: JsonObjectSchema,
});

export const CompleteBody = Type.Object({ result: JsonObjectSchema });

export const ChunkBody = Type.Object({
  delta_kind: Type.Enum(E2A_DELTA_KINDS),
  delta: Type.Union([Type.String(), JsonObjectSchema]),
  mime_type: Type.Optional(Type.String()),
});

export const ErrorBody = Type.Object({
  code: Type.Union([Type.String(), Type.Integer()]),
  message: Type.String(),
  details: Type.Optional(Type.Unknown()),
  external: Type.Optional(External),
});

export const SessionUpdateBody = Type.Object({ sessionUpdate: Type.Enum(ACP_SESSION_UPDATE_KINDS) });

export const JsonrpcErrorBody = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  data: Type.Optional(Type.Unknown()),
});

export const StreamEventBody = Type.Object({
  branch: Type.Enum(E2A_A2A_STREAM_BRANCHES),
  payload: JsonObjectSchema,
});

export const ExtBody = Type.Object({ ext_method: Type.String({ minLength: 1 }), params: JsonObjectSchema });

/** The three kinds the specification does not list are checked only as far as their reader depends on them. */
export const PlanApprovalBody = Type.Object({
  plan_content: Type.Optional(Type.String()),
  plan_slug: Type.Optional(Type.String()),
  plan_path: Type.Optional(Type.String()),
});

export const RESPONSE_BODY_SCHEMAS: Readonly<Record<E2AResponseKind, TSchema>> = {
  'e2a.complete': CompleteBody,
  'e2a.chunk': ChunkBody,
  'e2a.error': ErrorBody,
  'acp.session_update': SessionUpdateBody,
  'acp.prompt_result': JsonObjectSchema,
  'acp.jsonrpc_error': JsonrpcErrorBody,
  'acp.output_request': JsonObjectSchema,
  'a2a.task': JsonObjectSchema,
  'a2a.message': JsonObjectSchema,
  'a2a.stream_event': StreamEventBody,
  cron: JsonObjectSchema,
  'plan.approval_required': PlanApprovalBody,
  ext: ExtBody,
};
