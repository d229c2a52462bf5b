import Type, { type Static } from 'typebox';
import { type CARD_SCHEMA, type PROTOCOL_VERSION } from './version.js';

/** Build facts, equal in card and health (section 4.3); `build_time` is yyMMddHHmm in UTC. */
export const Build = Type.Object({
  version: Type.String(),
  git_tag: Type.String(),
  git_rev: Type.String(),
  build_time: Type.String(),
});
export type Build = Static<typeof Build>;

const NonEmpty = Type.String({ minLength: 1 });

export const AuthField = Type.Object({
  name: NonEmpty,
  label: NonEmpty,
  input_type: Type.Union([Type.Literal('text'), Type.Literal('password')]),
  required: Type.Optional(Type.Boolean()),
  placeholder: Type.Optional(Type.String()),
  help_text: Type.Optional(Type.String()),
  secret: Type.Optional(Type.Boolean()),
  default_value: Type.Optional(Type.String()),
});
export type AuthField = Static<typeof AuthField>;

export const AuthFlow = Type.Object({
  id: NonEmpty,
  target_type: Type.Literal('im'),
  type: Type.Union([Type.Literal('qr_login'), Type.Literal('form')]),
  title: NonEmpty,
  description: Type.Optional(Type.String()),
  fields: Type.Optional(Type.Array(AuthField, { minItems: 1 })),
});
export type AuthFlow = Static<typeof AuthFlow>;

/** A JSON Schema of an object, as tool arguments are described. */
export interface ObjectSchema {
  type: 'object';
  required: string[];
  properties: Record<string, Record<string, unknown>>;
  additionalProperties?: boolean;
}

export interface ToolDeclaration {
  tool_id: string;
  profile: string;
  title: string;
  description: string;
  related_skill_ids: string[];
  input_schema: ObjectSchema;
  output_schema: Record<string, unknown>;
}

/** Connector Card, protocol 3.0 section 4.1. It never changes with users. */
export interface ConnectorCard {
  schema: typeof CARD_SCHEMA;
  protocol_version: typeof PROTOCOL_VERSION;
  build: Build;
  connector_card_id: string;
  connector: { name: string; version: string; vendor: string; description: string };
  supports: {
    user_channel_mode: 'single' | 'multiple';
    target_types: ['im'];
    targets: { target_type: 'im'; provider: string; label: string }[];
    profiles: string[];
  };
  tools: ToolDeclaration[];
  auth_flows: AuthFlow[];
  ui: { login_flow: { flow_id: string; steps: { type: string; request_type: string; response_type: string }[] } };
  security: { trust_level: 'local'; api_key_required: boolean; data_classes: string[] };
}

/** The primary skill's name by the convention of section 4.2: `im.wechat` gives `connector-im-wechat`. */
export function primarySkillName(cardId: string): string {
  return `connector-${cardId.toLowerCase().replace(/[._]/g, '-')}`;
}

/**
 * Injects the reserved model argument `connector_channel_id` (section 10) into a tool's own schema, once for all tools.
 */
export function withConnectorChannelId(schema: ObjectSchema): ObjectSchema {
  return {
    ...schema,
    required: ['connector_channel_id', ...schema.required],
    properties: {
      connector_channel_id: {
        type: 'string',
        description:
          'Target user-level Connector channel ID. Pass the opaque ID returned by connector_channels_list or inbound source_connector_channel_id unchanged.',
      },
      ...schema.properties,
    },
  };
}
