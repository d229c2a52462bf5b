import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isRecord } from './http-client.js';
import { cardSchema, descriptorSchema, payloadSchemas } from './strict-schemas.js';

/**
 * What a server may put on the wire, written from the specification's text and stricter than its JSON Schemas: no field that
 * the text does not name, no `null` payload, stable codes, and the identities that card, descriptor and packet must share.
 * The official schemas are checked as well wherever their folder is at hand.
 */

export interface WirePacket {
  schema: string;
  packet_id: string;
  request_id?: string;
  reply_to?: string;
  connector_channel_id?: string;
  type: string;
  time?: number;
  payload?: Record<string, unknown>;
  error?: { code: string; message?: string };
}

const ajv = new Ajv2020({ allErrors: true, strict: false });

// ---------------------------------------------------------------- official schemas

const OFFICIAL_DIR = join(process.cwd(), '..', 'shared', 'schemas');
/** Whether the official schemas are on this machine; without them the strict rules below still hold. */
const officialSchemasPresent = existsSync(OFFICIAL_DIR);

function official(file: string): ValidateFunction | undefined {
  if (!officialSchemasPresent) return undefined;
  const schema: unknown = JSON.parse(readFileSync(join(OFFICIAL_DIR, file), 'utf8'));
  return isRecord(schema) ? ajv.compile(schema) : undefined;
}

const officialCard = official('xagent.connector.v1.schema.json');
const officialDescriptor = official('xagent.connection.v2.schema.json');
const officialPacket = official('xagent.connector.packet.v1.schema.json');

// ---------------------------------------------------------------- strict schemas

const strictCard = ajv.compile(cardSchema);
const strictDescriptor = ajv.compile(descriptorSchema);
const strictPayloads = new Map(Object.entries(payloadSchemas).map(([type, schema]) => [type, ajv.compile(schema)]));

const ENVELOPE_FIELDS = new Set([
  'schema',
  'packet_id',
  'request_id',
  'reply_to',
  'connector_channel_id',
  'type',
  'time',
  'payload',
  'error',
]);

/** What a payload may hold beside an error (R50). */
const IDENTITY_FIELDS = new Set(['connector_channel_id', 'flow_id', 'auth_session_id', 'tool_id', 'message_id']);
/** Packets that answer a request and therefore carry its ids back. */
const isAnswer = (type: string): boolean => type.endsWith('.ack') || type === 'error' || type === 'pong';
/** Packets that belong to no channel. */
const CHANNELLESS = new Set(['connector.hello.ack', 'ping', 'pong', 'error']);
/** xAgent's own packet limit is unknown, so ours stay well below 1 MiB (R5). */
const OWN_PACKET_LIMIT = 1024 * 1024;
/** A packet's `time` may differ from this machine's by no more than this; milliseconds. */
const TIME_SLACK_MS = 60_000;

// ---------------------------------------------------------------- checks

/** Every rule a card breaks, by section 4.1. */
export function checkCard(card: unknown): string[] {
  const faults = [...faultsOf(strictCard, card, 'card'), ...faultsOf(officialCard, card, 'card (official schema)')];
  if (!isRecord(card)) return faults;
  const supports = isRecord(card['supports']) ? card['supports'] : {};
  const profiles = Array.isArray(supports['profiles']) ? supports['profiles'] : [];
  const ids = new Set<unknown>();
  for (const tool of records(card['tools'])) {
    const id = String(tool['tool_id']);
    if (ids.has(id)) faults.push(`tool ${id} is declared twice`);
    ids.add(id);
    if (!profiles.includes(tool['profile'])) faults.push(`tool ${id} has a profile outside supports.profiles`);
    const input = isRecord(tool['input_schema']) ? tool['input_schema'] : {};
    const properties = isRecord(input['properties']) ? input['properties'] : {};
    const channel = properties['connector_channel_id'];
    if (!isRecord(channel) || channel['type'] !== 'string')
      faults.push(`tool ${id} does not declare connector_channel_id as string`);
    if (!Array.isArray(input['required']) || !input['required'].includes('connector_channel_id')) {
      faults.push(`tool ${id} does not require connector_channel_id`);
    }
    if ('connector_card_id' in properties) faults.push(`tool ${id} declares connector_card_id`);
  }
  for (const flow of records(card['auth_flows'])) {
    if ((flow['type'] === 'form') !== Array.isArray(flow['fields']))
      faults.push(`flow ${String(flow['id'])}: fields go with type form alone`);
    for (const field of records(flow['fields'])) {
      const secret = field['secret'] === true;
      if (field['input_type'] === 'password' && !secret)
        faults.push(`field ${String(field['name'])}: a password is secret`);
      if (secret && 'default_value' in field) faults.push(`field ${String(field['name'])}: a secret has no default`);
    }
  }
  if ('server_base_url' in card) faults.push('card carries server_base_url');
  return faults;
}

/** Identities a descriptor must carry (section 9). */
export interface DescriptorIdentity {
  readonly cardId: string;
  readonly connectorId?: string;
  readonly channelId?: string;
  readonly profiles: readonly string[];
  readonly toolIds: readonly string[];
}

export function checkDescriptor(descriptor: unknown, identity: DescriptorIdentity): string[] {
  const faults = [
    ...faultsOf(strictDescriptor, descriptor, 'descriptor'),
    ...faultsOf(officialDescriptor, descriptor, 'descriptor (official schema)'),
  ];
  if (!isRecord(descriptor)) return faults;
  const connection = isRecord(descriptor['connection']) ? descriptor['connection'] : {};
  if (connection['connector_card_id'] !== identity.cardId) faults.push('descriptor of another card');
  if (identity.connectorId !== undefined && connection['connector_id'] !== identity.connectorId)
    faults.push('descriptor of another connector_id');
  if (identity.channelId !== undefined && connection['connector_channel_id'] !== identity.channelId)
    faults.push('descriptor of another channel');
  for (const profile of Array.isArray(connection['profiles']) ? connection['profiles'] : []) {
    if (!identity.profiles.includes(String(profile)))
      faults.push(`descriptor enables ${String(profile)}, which card and hello do not share`);
  }
  const connected = ['connected', 'degraded'].includes(String(connection['status']));
  for (const tool of records(descriptor['tools'])) {
    if (!identity.toolIds.includes(String(tool['tool_id'])))
      faults.push(`descriptor names ${String(tool['tool_id'])}, absent from the card`);
    if (tool['status'] === 'available' && !connected)
      faults.push(`tool available while ${String(connection['status'])}`);
  }
  return faults;
}

/** Every rule of sections 7 and 8 that one packet from the server breaks on its own. */
export function checkPacket(packet: WirePacket, rawLength: number): string[] {
  const at = packet.type;
  const faults = faultsOf(officialPacket, packet, `${at} (official schema)`);
  for (const field of Object.keys(packet))
    if (!ENVELOPE_FIELDS.has(field)) faults.push(`${at}: envelope field ${field} is not in section 7`);
  if (packet.schema !== 'xagent.connector.packet/v1') faults.push(`${at}: schema is ${packet.schema}`);
  if (typeof packet.packet_id !== 'string' || packet.packet_id === '') faults.push(`${at}: no packet_id`);
  if (typeof packet.time !== 'number' || Math.abs(Date.now() - packet.time) > TIME_SLACK_MS)
    faults.push(`${at}: time is not Unix ms of now`);
  const payload: unknown = packet.payload;
  if (payload !== undefined && !isRecord(payload)) faults.push(`${at}: payload is not an object`);
  if (rawLength >= OWN_PACKET_LIMIT) faults.push(`${at}: ${rawLength} bytes`);
  if (!CHANNELLESS.has(packet.type) && !packet.connector_channel_id && packet.error === undefined)
    faults.push(`${at}: no connector_channel_id`);
  if (isAnswer(packet.type) && packet.type !== 'error' && packet.type !== 'pong' && !packet.reply_to)
    faults.push(`${at}: no reply_to`);
  if (packet.error !== undefined) {
    faults.push(...checkError(packet, at));
  } else if (packet.type === 'error') {
    faults.push('error packet without error');
  } else {
    const schema = strictPayloads.get(packet.type);
    if (!schema) faults.push(`${at} is not a packet a connector sends`);
    else faults.push(...faultsOf(schema, packet.payload ?? {}, `${at} payload`));
  }
  if (packet.type === 'chat.message') {
    const refs = records(packet.payload?.['files']).map((file) => file['file_ref']);
    if (new Set(refs).size !== refs.length) faults.push('chat.message: a file_ref twice');
  }
  return faults;
}

function checkError(packet: WirePacket, at: string): string[] {
  const faults: string[] = [];
  const error: unknown = packet.error;
  if (!isRecord(error)) return [`${at}: error is not an object`];
  for (const field of Object.keys(error))
    if (field !== 'code' && field !== 'message') faults.push(`${at}: error field ${field}`);
  if (typeof error['code'] !== 'string' || !/^[a-z][a-z0-9_]*$/.test(error['code']))
    faults.push(`${at}: error code is not a stable code`);
  if (typeof error['message'] !== 'string' || error['message'] === '')
    faults.push(`${at}: error without a readable message`);
  else if (/https?:\/\/|\d{6,}:[A-Za-z0-9_-]{30,}/.test(error['message']))
    faults.push(`${at}: URL or token in error message`);
  for (const field of Object.keys(packet.payload ?? {})) {
    if (!IDENTITY_FIELDS.has(field)) faults.push(`${at}: payload field ${field} beside an error (R50)`);
  }
  if (packet.type !== 'error' && !packet.type.endsWith('.ack'))
    faults.push(`${at}: only acks and error packets carry an error`);
  return faults;
}

function faultsOf(validate: ValidateFunction | undefined, value: unknown, what: string): string[] {
  if (!validate || validate(value)) return [];
  return (validate.errors ?? []).map(
    (e) => `${what}${e.instancePath} ${e.message ?? 'is wrong'} ${JSON.stringify(e.params)}`,
  );
}

export function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
