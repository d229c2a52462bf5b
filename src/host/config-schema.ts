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
/** Of a network that is reached over the internet: not of the local chat. */
const proxy = (more = '') => ({
  proxy: Type.String({
    minLength: 1,
    maxLength: 2048,
    default: 'system',
    description: `How it is reached: by the proxy that the system names (\`system\`), by none (\`none\`), or by this one, as \`http://\`, \`https://\` or \`socks5://\` with host and port.${more}`,
  }),
});
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
      description:
        'IM profile that its card declares: `xagent.im.v1` is for agents that know only `message.push`. Never both.',
    }),
    deliverTo: Type.Enum(['xagent', 'agentServer'], {
      default: 'xagent',
      description:
        "Where the network's accounts take their messages, unless the person chose otherwise for one: an xAgent, or the one AgentServer (`agentServer.url`).",
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
      description:
        'Address to listen on. Loopback only (127.0.0.0/8, `::1`, `localhost`): the server speaks for your chat accounts.',
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      default: 19_080,
      description:
        '0 takes a free port. A port that is taken is an error that names it; `serve --port` goes before this key.',
    }),
    apiKey: Type.Union([Type.String({ minLength: 1, maxLength: 512, pattern: API_KEY_PATTERN }), Type.Null()], {
      default: null,
      description:
        'Bearer key that agents must give. `null` makes one of 256 random bits at the first start and keeps it in the secret store; `api-key` prints it. Visible ASCII without spaces; an empty key is refused.',
    }),
    allowedHosts: names(
      'Further `Host` values to accept (`name`, with the listening port, or `name:port`): how a container reaches this machine. Others are refused, against DNS rebinding.',
    ),
    allowedOrigins: names(
      '`Origin` values to accept (`https://agent.example`). Agents are no browsers and send none; every other page is refused.',
    ),
    maxPacketBytes: bytes(
      4 * MIB,
      'Largest packet on a data plane; a larger one closes the socket with 1009. Room for long final texts. At least 1024.',
      KIB,
    ),
    helloTimeoutMs: millis(30 * SECOND, 'A socket without an accepted hello is closed after this.'),
    pingIntervalMs: millis(
      25 * SECOND,
      'Pings on the WebSocket level. Two without an answer end the socket, so that a half-dead one does not keep a lease alive.',
    ),
  }),
  secrets: section({
    store: Type.Enum(['keychain', 'file'], {
      default: 'keychain',
      description:
        '`keychain`: Secret Service, macOS Keychain or Windows Credential Manager. `file`: one file encrypted with the passphrase in `XAGENT_CONNECTOR_PASSPHRASE`, refused without it. Never a silent step from one to the other.',
    }),
  }),
  lease: section({
    graceMs: millis(
      HOUR,
      'Without any agent for this long, channels and the sign-ins they claimed end (protocol 3.0 section 8.2). Only time while the host runs and the machine is awake counts; it survives restarts.',
      0,
    ),
  }),
  delivery: section({
    ttlMs: millis(
      HOUR,
      'How long a received message is kept for an agent. Counted from its receipt, never extended, whatever the clock is set to; its expiry is counted and shown.',
    ),
    capacityPerChannel: count(
      1000,
      'Waiting messages of one account beyond which nothing more is asked of its network: the backlog stays there. Chats of one Telegram bot are asked for together (R33 in docs/protocol-notes.md).',
    ),
    ackTimeoutMs: millis(30 * SECOND, 'A message handed over without an answer is offered again after this.'),
    retryInitialMs: millis(
      SECOND,
      'First wait after a temporary failure; it doubles from there, with some chance in it.',
    ),
    retryMaxMs: millis(MINUTE, 'Longest wait between two tries.'),
  }),
  ledger: section({
    ttlMs: millis(
      7 * DAY,
      'How long an answer that was sent is remembered, so that its repetition is a duplicate and not a second message. A week.',
    ),
    capacityPerChannel: count(10_000, 'The same, by number.'),
  }),
  deltas: section({
    ttlMs: millis(
      10 * MINUTE,
      'An unfinished answer is forgotten this long after its last piece. The final text never depends on it.',
    ),
    capacityPerChannel: count(64, 'Unfinished answers kept per channel.'),
    maxBytesPerMessage: bytes(MIB, 'Text kept of one unfinished answer; beyond it the preview stops growing.'),
  }),
  activity: section({
    timeoutMs: millis(3 * MINUTE, '"Typing" ends by itself when the agent says nothing more for this long.'),
  }),
  files: section({
    maxUploadBytes: bytes(
      100 * MIB,
      'Largest single file, checked while it is read. The networks have limits of their own below this.',
    ),
    ttlMs: millis(DAY, 'How long a file in transit can be fetched.'),
    maxTotalBytes: bytes(
      2 * GIB,
      'All files in transit together; beyond it uploads are refused (507) until some expire.',
    ),
  }),
  auth: section({
    sessionTtlMs: millis(
      8 * MINUTE,
      'How long an attempt to sign in may take; a QR code that is asked for anew begins the time anew. Eight minutes.',
    ),
  }),
  log: section({
    level: Type.Enum(['debug', 'info', 'warn', 'error'], {
      default: 'info',
      description:
        'Least severe line that is logged: `debug`, `info`, `warn`, `error`. Lines go to standard error and to `logs/` in the data directory (five files of 10 MB); secrets are taken out of both.',
    }),
  }),
  agentServer: section({
    url: url('ws://127.0.0.1:18092', 'Its address. Plain `ws:` for loopback addresses only.'),
    mode: Type.String({ minLength: 1, maxLength: 64, default: 'agent', description: 'The mode asked of it.' }),
    idleTimeoutMs: millis(
      10 * MINUTE,
      'A request about which the server says nothing for this long, not even a keepalive, is given up, and its person told so.',
    ),
    filesRoot: Type.Union([Type.String({ minLength: 1, maxLength: 4096 }), Type.Null()], {
      default: null,
      description: 'The only folder from which files named by path in an answer are read. `null` means none.',
    }),
    filesUrl: Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Null()], {
      default: null,
      description:
        "Where files named by download token are fetched. `null` is port 5173 of the AgentServer's own host, as a stock one has it.",
    }),
  }),
  connectors: section({
    wechat: connector({
      apiBaseUrl: url('https://ilinkai.weixin.qq.com', 'iLink API.'),
      cdnBaseUrl: url('https://novac2c.cdn.weixin.qq.com/c2c', 'Its media.'),
      trustedHosts: names('Hosts that URLs sent by the iLink server may point to, besides the two above.'),
      clientVersion: Type.String({
        pattern: VERSION_PATTERN,
        default: '2.4.9',
        description:
          'Client version told to iLink. Phones refuse a sign-in from one that is too old, so it can be raised without a new build.',
      }),
      botAgent: Type.String({
        pattern: AGENT_PATTERN,
        maxLength: 256,
        default: 'xAgentConnector/0.1.0',
        description: "What the iLink server's logs call this client: `Name/Version`.",
      }),
      ...proxy(),
    }),
    telegram: connector({ apiRoot: url('https://api.telegram.org', 'A Bot API server of your own.'), ...proxy() }),
    feishu: connector({
      apiBaseUrl: url('https://open.feishu.cn', 'Open platform API.'),
      accountsBaseUrl: url('https://accounts.feishu.cn', 'Accounts service, for the QR sign-in.'),
      registrationPage: Type.Enum(['launcher', 'cli'], {
        default: 'launcher',
        description:
          'Page that the first QR code of a sign-in opens: `launcher` or `cli`. A renewed code opens the other one.',
      }),
      groups: Type.Enum(['ignore', 'ownerMentions'], {
        default: 'ignore',
        description:
          'Groups in which the owner is heard: none, or (`"ownerMentions"`) where they mention the bot. Answers go to the direct chat.',
      }),
      ...proxy(),
    }),
    xmpp: connector({
      service: Type.Union([Type.String({ minLength: 1, maxLength: 2048 }), Type.Null()], {
        default: null,
        description: 'Server to use (`xmpp://`, `xmpps://`, `wss://`); `null` looks it up from the JID.',
      }),
      ...proxy(' Through an HTTP proxy only if that allows the port of XMPP.'),
    }),
    local: connector({}),
  }),
});

export type Config = Static<typeof ConfigSchema>;
export type ConnectorName = keyof Config['connectors'];
