import { closeSync, openSync, readSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { Settings } from 'typebox/system';
import Value from 'typebox/value';
import { exceedsDepth } from '../base/json-depth.js';
import { jsonFault } from '../base/json-fault.js';
import { isLoopbackHost } from '../base/loopback.js';
import { readProxyUrl } from '../base/proxy/proxy-server.js';
import { errorCode } from '../base/error-code.js';
import { ConfigSchema, type Config } from './config-schema.js';

/** The configuration can't be used; every problem names its key. The process ends with exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** The schema nests five deep; a file that nests beyond this is none of ours, and would exhaust the stack. */
const MAX_DEPTH = 32;

/** A file with every key takes a few thousand bytes; whatever has more, or no end as a device has, is another one. */
const MAX_BYTES = 1024 * 1024;

/** A configuration that was read, and which of its values are not merely defaults. */
export interface ReadConfig {
  readonly config: Config;
  /** The keys that stand in the file itself, by their full path: `server.port`. */
  readonly given: ReadonlySet<string>;
}

/**
 * Reads and checks a configuration file; undefined gives the defaults.
 * @throws ConfigError naming the file and each wrong key by its full path
 */
export function readConfig(file: string | undefined): ReadConfig {
  if (file === undefined) return { config: parseConfig({}), given: new Set() };
  let bytes: Buffer;
  try {
    bytes = readStart(file, MAX_BYTES + 1);
  } catch (error) {
    throw new ConfigError([`${file} can't be read (${errorCode(error) ?? 'unreadable'})`]);
  }
  if (bytes.length > MAX_BYTES) throw new ConfigError([`${file} is larger than a configuration can be`]);
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (exceedsDepth(text, MAX_DEPTH)) throw new ConfigError([`${file} nests too deeply`]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column } = jsonFault(text) ?? { line: 1, column: 1 };
    throw new ConfigError([`${file} is not valid JSON (line ${line}, column ${column})`]);
  }
  try {
    return { config: parseConfig(value), given: new Set(keysOf(value)) };
  } catch (error) {
    throw error instanceof ConfigError
      ? new ConfigError(error.problems.map((problem) => `${file}: ${problem}`))
      : error;
  }
}

/** At most the first `maxBytes` of a file, a pipe or a device. */
function readStart(file: string, maxBytes: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.allocUnsafe(maxBytes);
    let end = 0;
    for (let read = -1; read !== 0 && end < maxBytes; end += read)
      read = readSync(descriptor, bytes, end, maxBytes - end, null);
    return bytes.subarray(0, end);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Fills in the defaults and checks everything: unknown keys, types, ranges, addresses.
 * @throws ConfigError with one problem per wrong key; a problem never repeats the value, which may be a secret
 */
export function parseConfig(value: unknown): Config {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigError(['the configuration must be a JSON object']);
  }
  // An editor's own key, which names the schema to help with while writing.
  const { $schema: _schema, ...keys }: Record<string, unknown> = structuredClone({ ...value });
  const given = new Set(keysOf(keys));
  const filled: unknown = Value.Default(ConfigSchema, keys);
  if (!Value.Check(ConfigSchema, filled)) throw new ConfigError(schemaProblems(issuesOf(filled)));
  const problems = [...addressProblems(filled), ...orderProblems(filled, given)];
  if (problems.length > 0) throw new ConfigError(problems);
  return filled;
}

function keysOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, item]) => keysOf(item, path === '' ? key : `${path}.${key}`));
}

interface SchemaIssue {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** Every key is named, and a file that is no configuration at all does not fill the terminal for minutes. */
const MAX_ISSUES = 1_000;

/** The library stops at eight unless told otherwise, which it can be for everybody only. */
function issuesOf(value: unknown): SchemaIssue[] {
  const { maxErrors } = Settings.Get();
  Settings.Set({ maxErrors: MAX_ISSUES });
  try {
    return Value.Errors(ConfigSchema, value);
  } finally {
    Settings.Set({ maxErrors });
  }
}

function schemaProblems(issues: readonly SchemaIssue[]): string[] {
  const byKey = new Map<string, string>();
  for (const issue of issues) {
    const key = dotted(issue.instancePath);
    switch (issue.keyword) {
      // The same fact is said by the unknown key's own entry, which knows its full path.
      case 'additionalProperties':
      case 'anyOf':
        break;
      case 'boolean':
        byKey.set(key, `unknown key ${key}`);
        break;
      case 'enum':
        byKey.set(key, `${key} must be one of ${allowedValues(issue.params)}`);
        break;
      default:
        if (!byKey.has(key)) byKey.set(key, `${key} ${issue.message}`);
    }
  }
  return [...byKey.values()];
}

function allowedValues(params: object): string {
  const values = 'allowedValues' in params && Array.isArray(params.allowedValues) ? params.allowedValues : [];
  return values.map((value) => JSON.stringify(value)).join(', ');
}

/** `/server/port` as people write it: `server.port`. */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    .join('.');
}

const WEB = { secure: ['https:'], plain: ['http:'] } as const;
const SOCKET = { secure: ['wss:'], plain: ['ws:'] } as const;
/** xmpp: upgrades by STARTTLS, so it is no plain connection. */
const XMPP = { secure: ['xmpp:', 'xmpps:', 'wss:'], plain: ['ws:'] } as const;

function addressProblems(config: Config): string[] {
  const { wechat, telegram, feishu, xmpp } = config.connectors;
  const problems = [
    urlProblem('connectors.wechat.apiBaseUrl', wechat.apiBaseUrl, WEB),
    urlProblem('connectors.wechat.cdnBaseUrl', wechat.cdnBaseUrl, WEB),
    urlProblem('connectors.telegram.apiRoot', telegram.apiRoot, WEB),
    urlProblem('connectors.feishu.apiBaseUrl', feishu.apiBaseUrl, WEB),
    urlProblem('connectors.feishu.accountsBaseUrl', feishu.accountsBaseUrl, WEB),
    urlProblem('agentServer.url', config.agentServer.url, SOCKET),
    config.agentServer.filesUrl === null
      ? undefined
      : urlProblem('agentServer.filesUrl', config.agentServer.filesUrl, WEB),
    xmpp.service === null ? undefined : urlProblem('connectors.xmpp.service', xmpp.service, XMPP),
    proxyProblem('connectors.wechat.proxy', wechat.proxy),
    proxyProblem('connectors.telegram.proxy', telegram.proxy),
    proxyProblem('connectors.feishu.proxy', feishu.proxy),
    proxyProblem('connectors.xmpp.proxy', xmpp.proxy),
    isLoopbackHost(config.server.host)
      ? undefined
      : 'server.host must be a loopback address (127.0.0.1, ::1 or localhost)',
    config.agentServer.filesRoot !== null && !isAbsolute(config.agentServer.filesRoot)
      ? 'agentServer.filesRoot must be an absolute path'
      : undefined,
    ...config.server.allowedOrigins.map((origin, index) => originProblem(`server.allowedOrigins.${index}`, origin)),
  ];
  return problems.filter((problem) => problem !== undefined);
}

/**
 * Pairs of which the first must not be above the second, where it is given. Every key is optional: a limit that is given alone
 * bounds the default below it, and nobody has to repeat that one.
 */
function orderProblems({ delivery, files }: Config, given: ReadonlySet<string>): string[] {
  const pairs = [
    ['delivery.retryInitialMs', delivery.retryInitialMs, 'delivery.retryMaxMs', delivery.retryMaxMs],
    ['files.maxUploadBytes', files.maxUploadBytes, 'files.maxTotalBytes', files.maxTotalBytes],
  ] as const;
  return pairs
    .filter(([small, lower, , upper]) => lower > upper && given.has(small))
    .map(([small, , large]) => `${small} must not be above ${large}`);
}

function urlProblem(
  key: string,
  text: string,
  schemes: { readonly secure: readonly string[]; readonly plain: readonly string[] },
): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return `${key} must be a URL`;
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return `${key} must not hold credentials, a query or a fragment`;
  }
  if (schemes.secure.includes(url.protocol)) return undefined;
  if (!schemes.plain.includes(url.protocol)) {
    return `${key} must begin with ${[...schemes.secure, ...schemes.plain].map((scheme) => `${scheme}//`).join(' or ')}`;
  }
  if (!isLoopbackHost(url.hostname)) return `${key} may use plain ${url.protocol} for loopback addresses only`;
  return undefined;
}

const PROXY_SCHEMES = /^(https?|socks5):\/\//i;

function proxyProblem(key: string, text: string): string | undefined {
  if (text === 'system' || text === 'none') return undefined;
  const read = PROXY_SCHEMES.test(text) ? readProxyUrl(text) : undefined;
  if (read === undefined) {
    return `${key} must be "system", "none", or http://, https:// or socks5:// with a host and port`;
  }
  if (read.credentials === undefined) return undefined;
  return `${key} must not hold credentials: this file is no place for a password. Give them in HTTPS_PROXY`;
}

function originProblem(key: string, text: string): string | undefined {
  try {
    if (new URL(text).origin === text && text !== 'null') return undefined;
  } catch {
    // Falls through to the same advice.
  }
  return `${key} must be an origin such as https://agent.example`;
}
