import Type, { type Static, type TSchema } from 'typebox';
import { IM_V1, IM_V2 } from '../protocol/version.js';

/**
 * The configuration file, once: type, check, defaults and published JSON Schema. Times are milliseconds, sizes bytes.
 * Each key's reason stands in its description, and in docs/configuration.md.
 */

/** Ten years: longer than any of these waits can be meant, short enough to be exact in every timer. */
const MAX_MS = 315_360_000_000;
const MAX_BYTES = Number.MAX_SAFE_INTEGER;
const MAX_COUNT = 10_000_000;

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A Bearer key must survive an HTTP header as it is: visible ASCII without spaces. */
const API_KEY_PATTERN = '^[\\x21-\\x7e]+$';

/** Three numbers of a byte each, as iLink packs them into one. */
const BYTE = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const VERSION_PATTERN = `^${BYTE}\\.${BYTE}\\.${BYTE}$`;
/** Products as in a User-Agent header, without comments. */
const PRODUCT = '[A-Za-z0-9_.-]{1,32}/[A-Za-z0-9_.+-]{1,32}';
const AGENT_PATTERN = `^${PRODUCT}( ${PRODUCT})*$`;

const millis = (fallback: number, description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: MAX_MS, default: fallback, description });
const bytes = (fallback: number, description: string, minimum = 1) =>
  Type.Integer({ minimum, maximum: MAX_BYTES, default: fallback, description });
const count = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_COUNT, default: fallback, description });
const url = (fallback: string, description: string) =>
  Type.String({ minLength: 1, maxLength: 2048, default: fallback, description });
const names = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 512 }), { maxItems: 64, default: [], description });

/** A closed object whose every key has a default: unknown keys are refused, and the whole may be left out. */
function section<P extends Record<string, TSchema>>(properties: P) {
  return Type.Object(properties, { additionalProperties: false, default: {} });
}

function connector<P extends Record<string, TSchema>>(properties: P) {
  return section({
    enabled: Type.Boolean({ default: true, description: 'Whether this network is served at all.' }),
    profile: Type.Enum([IM_V2, IM_V1], {
      default: IM_V2,
      description: 'The IM profile its card declares; never both.',
    }),
    deliverTo: Type.Enum(['xagent', 'agentServer'], {
      default: 'xagent',
      description: 'Where its accounts take their messages, unless an account says otherwise.',
    }),
    ...properties,
  });
}

export const ConfigSchema = section({
  server: section({
    host: Type.String({
      minLength: 1,
      maxLength: 255,
      default: '127.0.0.1',
      description: 'Loopback address to listen on.',
    }),
    port: Type.Integer({ minimum: 0, maximum: 65_535, default: 19_080, description: 'TCP port; 0 takes a free one.' }),
    apiKey: Type.Union([Type.String({ minLength: 1, maxLength: 512, pattern: API_KEY_PATTERN }), Type.Null()], {
      default: null,
      description: 'Bearer key of the agents; null generates one and keeps it in the secret store.',
    }),
    allowedHosts: names('Further Host names that requests may carry, such as a container host name.'),
    allowedOrigins: names('Origins whose requests are not refused; programs that are not browsers send none.'),
    maxPacketBytes: bytes(4 * MIB, 'Largest data-plane frame taken; a larger one closes the socket with 1009.', KIB),
    helloTimeoutMs: millis(30 * SECOND, 'A data-plane socket without a valid hello is closed after this.'),
    pingIntervalMs: millis(25 * SECOND, 'WebSocket-level ping; two missed answers end a half-dead socket.'),
  }),
  secrets: section({
    store: Type.Enum(['keychain', 'file'], {
      default: 'keychain',
      description: 'Where credentials live: the OS keychain, or a file encrypted with XAGENT_CONNECTOR_PASSPHRASE.',
    }),
  }),
  lease: section({
    graceMs: millis(HOUR, 'Awake time without any data plane after which channels and claimed sign-ins end.', 0),
  }),
  delivery: section({
    ttlMs: millis(HOUR, 'How long an inbound message is kept for an agent, from its receipt, never extended.'),
    capacityPerChannel: count(1000, 'Pending messages of one account before the network is asked to wait.'),
    ackTimeoutMs: millis(30 * SECOND, 'A handed-over message without an answer is offered again after this.'),
    retryInitialMs: millis(SECOND, 'First wait after a temporary failure; doubles from here.'),
    retryMaxMs: millis(MINUTE, 'Longest wait between two tries.'),
  }),
  ledger: section({
    ttlMs: millis(7 * DAY, 'How long a delivered answer is remembered, so that its repeat is a duplicate.'),
    capacityPerChannel: count(10_000, 'Remembered answers per channel.'),
  }),
  deltas: section({
    ttlMs: millis(10 * MINUTE, 'An unfinished answer without news is forgotten after this.'),
    capacityPerChannel: count(64, 'Unfinished answers per channel.'),
    maxBytesPerMessage: bytes(MIB, 'Text kept of one unfinished answer.'),
  }),
  activity: section({
    timeoutMs: millis(3 * MINUTE, 'Typing ends by itself when the agent says nothing for this long.'),
  }),
  files: section({
    maxUploadBytes: bytes(100 * MIB, 'Largest single file, checked while reading.'),
    ttlMs: millis(DAY, 'How long a file can be fetched.'),
    maxTotalBytes: bytes(2 * GIB, 'All files in transit together.'),
  }),
  auth: section({
    sessionTtlMs: millis(8 * MINUTE, 'How long one attempt to sign in may take.'),
  }),
  log: section({
    level: Type.Enum(['debug', 'info', 'warn', 'error'], {
      default: 'info',
      description: 'Least severe line that is logged.',
    }),
  }),
  agentServer: section({
    url: url('ws://127.0.0.1:18092', 'AgentServer that accounts with deliverTo agentServer talk to.'),
    mode: Type.String({ minLength: 1, maxLength: 64, default: 'agent', description: 'Mode asked of the AgentServer.' }),
    idleTimeoutMs: millis(
      10 * MINUTE,
      'A request about which the AgentServer says nothing for this long, not even a keepalive, is given up.',
    ),
    filesRoot: Type.Union([Type.String({ minLength: 1, maxLength: 4096 }), Type.Null()], {
      default: null,
      description: 'The only folder from which files named by path in an answer are read; null reads none.',
    }),
    filesUrl: Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Null()], {
      default: null,
      description: 'Where files named by download token are fetched; null is port 5173 of the AgentServer host.',
    }),
  }),
  connectors: section({
    wechat: connector({
      apiBaseUrl: url('https://ilinkai.weixin.qq.com', 'iLink API.'),
      cdnBaseUrl: url('https://novac2c.cdn.weixin.qq.com/c2c', 'Media of iLink.'),
      trustedHosts: names('Hosts that URLs supplied by the iLink server may point to, on top of the two above.'),
      clientVersion: Type.String({
        pattern: VERSION_PATTERN,
        default: '2.4.9',
        description: 'Client version told to iLink; phones refuse a sign-in from one that is too old.',
      }),
      botAgent: Type.String({
        pattern: AGENT_PATTERN,
        maxLength: 256,
        default: 'xAgentConnector/0.1.0',
        description: "What the iLink server's logs call this client: Name/Version.",
      }),
    }),
    telegram: connector({ apiRoot: url('https://api.telegram.org', 'Bot API server.') }),
    feishu: connector({
      apiBaseUrl: url('https://open.feishu.cn', 'Open platform API.'),
      accountsBaseUrl: url('https://accounts.feishu.cn', 'Accounts service, for the QR sign-in.'),
      registrationPage: Type.Enum(['launcher', 'cli'], {
        default: 'launcher',
        description: 'Page that the first QR code of a sign-in opens; a renewed code opens the other one.',
      }),
      groups: Type.Enum(['ignore', 'ownerMentions'], {
        default: 'ignore',
        description: 'Groups in which the owner is heard: none, or where they mention the bot.',
      }),
    }),
    xmpp: connector({
      service: Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Null()], {
        default: null,
        description: 'XMPP server to use; null looks it up from the JID.',
      }),
    }),
    local: connector({}),
  }),
});

export type Config = Static<typeof ConfigSchema>;
export type ConnectorName = keyof Config['connectors'];
