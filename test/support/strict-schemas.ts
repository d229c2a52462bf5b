/** The packets, card and descriptor of the specification's text as closed JSON Schemas: no field that the text does not name. */

const text = { type: 'string' };
const filled = { type: 'string', minLength: 1 };
const millis = { type: 'integer', minimum: 1_600_000_000_000, maximum: 4_000_000_000_000 };
const closed = (properties: Record<string, unknown>, required: string[]): Record<string, unknown> => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

const build = closed(
  { version: filled, git_tag: text, git_rev: text, build_time: { type: 'string', pattern: '^\\d{10}$' } },
  ['version', 'git_tag', 'git_rev', 'build_time'],
);

const targetType = { enum: ['im', 'email', 'calendar', 'ticket', 'device'] };

export const cardSchema = closed(
  {
    schema: { const: 'xagent.connector/v1' },
    protocol_version: { const: '3.0' },
    build,
    connector_card_id: { type: 'string', pattern: '^im\\.[a-z]+$' },
    connector: closed({ name: filled, version: filled, vendor: filled, description: filled }, ['name', 'version']),
    supports: closed(
      {
        user_channel_mode: { enum: ['single', 'multiple'] },
        target_types: { type: 'array', minItems: 1, items: { const: 'im' } },
        targets: {
          type: 'array',
          minItems: 1,
          items: closed({ target_type: targetType, provider: filled, label: filled }, [
            'target_type',
            'provider',
            'label',
          ]),
        },
        profiles: { type: 'array', minItems: 1, maxItems: 1, items: { enum: ['xagent.im.v1', 'xagent.im.v2'] } },
      },
      ['target_types', 'targets', 'profiles'],
    ),
    tools: {
      type: 'array',
      minItems: 1,
      items: closed(
        {
          tool_id: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,256}$' },
          profile: filled,
          title: filled,
          description: filled,
          related_skill_ids: { type: 'array', items: { type: 'string', pattern: '^connector-[a-z0-9-]+$' } },
          input_schema: {
            type: 'object',
            required: ['type', 'required', 'properties'],
            properties: { type: { const: 'object' } },
          },
          output_schema: { type: 'object' },
        },
        ['tool_id', 'profile', 'title', 'description', 'input_schema'],
      ),
    },
    auth_flows: {
      type: 'array',
      minItems: 1,
      items: closed(
        {
          id: filled,
          target_type: { const: 'im' },
          type: { enum: ['qr_login', 'form'] },
          title: filled,
          description: filled,
          fields: {
            type: 'array',
            minItems: 1,
            items: closed(
              {
                name: filled,
                label: filled,
                input_type: { enum: ['text', 'password'] },
                required: { type: 'boolean' },
                placeholder: text,
                help_text: text,
                secret: { type: 'boolean' },
                default_value: text,
              },
              ['name', 'label', 'input_type'],
            ),
          },
        },
        ['id', 'target_type', 'type', 'title'],
      ),
    },
    ui: { type: 'object' },
    security: closed(
      {
        trust_level: { enum: ['unknown', 'builtin', 'verified', 'third_party', 'local'] },
        api_key_required: { type: 'boolean' },
        data_classes: { type: 'array', items: filled },
      },
      ['trust_level', 'api_key_required', 'data_classes'],
    ),
  },
  [
    'schema',
    'protocol_version',
    'build',
    'connector_card_id',
    'connector',
    'supports',
    'tools',
    'auth_flows',
    'security',
  ],
);

export const descriptorSchema = closed(
  {
    schema: { const: 'xagent.connection/v2' },
    connection: closed(
      {
        connector_card_id: filled,
        connector_id: filled,
        connector_channel_id: filled,
        target_type: targetType,
        profiles: { type: 'array', minItems: 1, uniqueItems: true, items: filled },
        status: {
          enum: ['created', 'authenticating', 'connected', 'degraded', 'offline', 'expired', 'revoked', 'error'],
        },
      },
      ['connector_card_id', 'connector_id', 'connector_channel_id', 'target_type', 'profiles', 'status'],
    ),
    target: closed({ provider: filled, label: filled, display_name: filled, account_hint: text }, [
      'provider',
      'label',
      'display_name',
    ]),
    tools: {
      type: 'array',
      items: closed(
        {
          tool_id: filled,
          status: { enum: ['available', 'unavailable', 'denied_by_target', 'requires_reauth', 'not_supported'] },
          target_permission_state: { enum: ['unknown', 'granted', 'denied', 'requires_reauth'] },
          reason: text,
        },
        ['tool_id', 'status'],
      ),
    },
  },
  ['schema', 'connection', 'target', 'tools'],
);

const descriptorRef = { type: 'object' }; // checked by checkDescriptor, which also knows the identities

const authAck = (statuses: string[]): Record<string, unknown> =>
  closed(
    {
      connector_channel_id: filled,
      flow_id: filled,
      auth_session_id: filled,
      status: { enum: statuses },
      qr_code_text: filled,
      qr_code_image: { type: 'string', pattern: '^(data:image/|https?://)' },
      expires_at: millis,
      poll_interval_millis: { type: 'integer', minimum: 100, maximum: 60_000 },
      message: filled,
      // This server's documented addition: names what the person must still give.
      input_required: { type: 'array', minItems: 1, items: filled },
      connection_descriptor: descriptorRef,
    },
    ['connector_channel_id', 'status'],
  );

const fileItem = closed(
  {
    type: { enum: ['image', 'video', 'audio', 'file'] },
    file_ref: { type: 'string', minLength: 22 },
    filename: filled,
    mime_type: filled,
    byte_size: { type: 'integer', minimum: 0 },
    expires_at: millis,
    download_url: { type: 'string', pattern: '^(/|https?://)' },
  },
  ['type', 'file_ref', 'download_url'],
);

const START = ['pending', 'scanned', 'authenticated', 'expired', 'qr_refresh_required', 'failed'];

/** Payloads of every packet this server may send, by type; a type that is not here must not be sent. */
export const payloadSchemas: Readonly<Record<string, Record<string, unknown>>> = {
  'connector.hello.ack': closed(
    { connector_card_id: filled, connector_id: filled, protocol_version: { const: '3.0' } },
    ['connector_card_id', 'connector_id', 'protocol_version'],
  ),
  'channel.open.ack': closed({ connector_channel_id: filled, connection_descriptor: descriptorRef }, [
    'connector_channel_id',
    'connection_descriptor',
  ]),
  'channel.close.ack': closed({ status: { const: 'ok' } }, ['status']),
  'auth.start.ack': authAck(START),
  'auth.status.ack': authAck([...START, 'unauthenticated']),
  'auth.cancel.ack': closed(
    {
      connector_channel_id: filled,
      auth_session_id: text,
      status: { enum: ['canceled', 'ignored', 'not_found'] },
      auth_status: { enum: [...START, 'unauthenticated'] },
      message: text,
      connection_descriptor: descriptorRef,
    },
    ['connector_channel_id', 'status'],
  ),
  'auth.logout.ack': closed({ status: { const: 'ok' }, connection_descriptor: descriptorRef }, [
    'status',
    'connection_descriptor',
  ]),
  'connection.descriptor.get.ack': closed({ connection_descriptor: descriptorRef }, ['connection_descriptor']),
  'connection.descriptor.push': closed({ connection_descriptor: descriptorRef }, ['connection_descriptor']),
  'tool.invoke.ack': closed({ tool_id: filled, result: { type: 'object' } }, ['tool_id', 'result']),
  'chat.message': {
    ...closed({ message_id: filled, text, files: { type: 'array', items: fileItem }, created_at: millis }, [
      'message_id',
    ]),
    anyOf: [
      { required: ['text'], properties: { text: filled } },
      { required: ['files'], properties: { files: { type: 'array', minItems: 1 } } },
    ],
  },
  'chat.message.ack': {
    ...closed(
      {
        message_id: filled,
        status: { enum: ['accepted', 'duplicate', 'rejected'] },
        code: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
        message: text,
        retryable: { type: 'boolean' },
      },
      ['message_id', 'status'],
    ),
    if: { properties: { status: { const: 'rejected' } } },
    then: { required: ['code', 'retryable'] },
  },
  // Profile v1 section 5: "target-system-specific fields can be appended", so this one stays open.
  'message.push': {
    type: 'object',
    required: ['provider', 'profile', 'event_kind', 'message_id', 'sender_id', 'message_type', 'raw_text', 'text'],
    properties: {
      provider: filled,
      profile: { const: 'xagent.im.v1' },
      event_kind: { const: 'im.message.received' },
      message_id: filled,
      sender_id: filled,
      message_type: filled,
      raw_text: text,
      text: filled,
      files: { type: 'array', minItems: 1, items: fileItem },
    },
    not: {
      anyOf: ['session_id', 'user_id', 'user_connector_id', 'connector_id', 'role'].map((name) => ({
        required: [name],
      })),
    },
  },
  ping: closed({}, []),
  pong: closed({}, []),
};
