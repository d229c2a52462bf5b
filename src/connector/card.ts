import {
  CARD_SCHEMA,
  IM_V1,
  primarySkillName,
  PROTOCOL_VERSION,
  withConnectorChannelId,
  type AuthFlow,
  type Build,
  type ConnectorCard,
  type ImProfile,
  type ObjectSchema,
  type ToolDeclaration,
} from '../protocol/index.js';
import type { Target } from '../targets/target.js';

const VENDOR = 'xAgent Connector Desktop';

export interface CardOptions {
  readonly build: Build;
  readonly profile: ImProfile;
  readonly apiKeyRequired: boolean;
}

/** What a tool call of any network comes to. */
export type ToolKind = 'message' | 'file';

export function toolId(target: Pick<Target, 'name'>, kind: ToolKind): string {
  return `${target.name}_${kind}_send`;
}

/** Connector Card of one network (protocol 3.0 section 4.1): the same for every user and every run of one build. */
export function buildCard(target: Target, options: CardOptions): ConnectorCard {
  return {
    schema: CARD_SCHEMA,
    protocol_version: PROTOCOL_VERSION,
    build: options.build,
    connector_card_id: target.cardId,
    connector: {
      name: `${target.label} Connector`,
      version: cardVersion(target, options.profile),
      vendor: VENDOR,
      description: target.description,
    },
    supports: {
      user_channel_mode: 'multiple',
      target_types: ['im'],
      targets: [{ target_type: 'im', provider: target.name, label: target.label }],
      profiles: [options.profile],
    },
    tools: [
      declareTool(target, options.profile, 'message', {
        title: `Send a ${target.label} message`,
        description: `Sends text to the ${target.label} conversation bound to the current channel. The recipient follows from the channel and can not be chosen.`,
        schema: {
          type: 'object',
          required: ['text'],
          properties: { text: { type: 'string', minLength: 1, description: 'Text to send.' } },
          additionalProperties: false,
        },
      }),
      declareTool(target, options.profile, 'file', {
        title: `Send a file over ${target.label}`,
        description: `Sends one file, with optional text, to the ${target.label} conversation bound to the current channel. The recipient follows from the channel and can not be chosen.`,
        schema: {
          type: 'object',
          required: ['file_ref'],
          properties: {
            file_ref: { type: 'string', minLength: 1, description: 'Reference of the file to send.' },
            text: { type: 'string', description: 'Text to send with the file.' },
          },
          additionalProperties: false,
        },
      }),
    ],
    auth_flows: [...target.authFlows],
    ui: { login_flow: loginFlow(target.authFlows[0]) },
    security: { trust_level: 'local', api_key_required: options.apiKeyRequired, data_classes: [...target.dataClasses] },
  };
}

/**
 * Another profile is another card: an xAgent asks for it anew only when a version in the health answer differs from the
 * one it keeps (section 4.4, R45), and so does the version of the card that is not the usual one.
 */
function cardVersion(target: Pick<Target, 'version'>, profile: ImProfile): string {
  return profile === IM_V1 ? `${target.version}+im.v1` : target.version;
}

function declareTool(
  target: Target,
  profile: ImProfile,
  kind: ToolKind,
  tool: { title: string; description: string; schema: ObjectSchema },
): ToolDeclaration {
  return {
    tool_id: toolId(target, kind),
    profile,
    title: tool.title,
    description: tool.description,
    related_skill_ids: [primarySkillName(target.cardId)],
    input_schema: withConnectorChannelId(tool.schema),
    output_schema: {
      type: 'object',
      required: ['status'],
      properties: {
        status: { type: 'string', description: '`sent`, or `held`: kept by the connector, which sends it itself.' },
        message_id: { type: 'string' },
        reason: { type: 'string' },
        message: { type: 'string' },
      },
    },
  };
}

/** A form may go on after its fields are checked (a pairing link to open), so it is polled as a QR is. */
function loginFlow(flow: AuthFlow): ConnectorCard['ui']['login_flow'] {
  const first = flow.type === 'qr_login' ? 'qr_code' : 'form';
  return {
    flow_id: flow.id,
    steps: [
      { type: first, request_type: 'auth.start', response_type: 'auth.start.ack' },
      { type: 'polling', request_type: 'auth.status', response_type: 'auth.status.ack' },
    ],
  };
}
