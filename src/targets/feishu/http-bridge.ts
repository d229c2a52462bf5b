import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { TransportError } from '../../base/errors.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { parseJson } from '../../base/parse-json.js';
import { httpOpen, httpRequest, type HttpRequest } from '../http-request.js';
import { isRecord, numberOf, textOf, type Fields } from '../json-fields.js';
import { refusalOf } from './errors.js';
import { FileForm } from './multipart.js';
import type { Sdk } from './sdk.js';

type HttpInstance = NonNullable<ConstructorParameters<Sdk['Client']>[0]['httpInstance']>;

/** What the SDK asks for. It passes on what our own calls add: `signal`, `timeout`, `responseType`. */
interface SdkRequest {
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly data?: unknown;
  readonly responseType?: string;
  readonly timeout?: number;
  readonly signal?: unknown;
}

/** An answer whose body was not read: a file. */
export class FileAnswer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly body: Readable,
  ) {}
}

/** Deadline of a call that names none, milliseconds. */
export const CALL_TIMEOUT_MS = 15_000;
/** Answers are small JSON; bytes. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const RATE_LIMIT_STATUS = 429;
const RATE_LIMIT_CODE = 99991400;
/** Seconds until the rate limit is over. */
const RESET_HEADER = 'x-ogw-ratelimit-reset';
/** The SDK makes its own error of a token answer that is none; ours says more. */
const TOKEN_PATH = '/open-apis/auth/';

/** What passes, for those who know the SDK's own words about it too well. */
interface BridgeSigns {
  /** Each JSON answer, before the SDK sees it. */
  onAnswer?(path: string, answer: Fields): void;
  /** Why an exchange failed, whatever the SDK makes of it. */
  onFailure?(error: unknown): void;
}

/**
 * The HTTP that the SDK speaks through: our own deadlines and clock, errors that say whether a call may have had its effect,
 * and nothing of a request in a log. Answers are read whatever their HTTP status is; `code` decides.
 */
export function httpBridge(
  { clock, wayOut }: { readonly clock: Clock; readonly wayOut: WayOut },
  signs: BridgeSigns = {},
): HttpInstance {
  const exchange = async (options: SdkRequest): Promise<unknown> => {
    const url = urlOf(options);
    const plain = plainRequest(options, url, wayOut);
    if (options.responseType === 'stream') {
      const { status, headers, body } = await httpOpen(clock, plain);
      return new FileAnswer(status, headers, body);
    }
    const answer = await jsonAnswer(clock, plain);
    signs.onAnswer?.(url.pathname, answer);
    if (url.pathname.startsWith(TOKEN_PATH) && answer['code'] !== 0) throw refusalOf(numberOf(answer['code']) ?? -1);
    return answer;
  };
  const request = async (options: SdkRequest): Promise<unknown> => {
    try {
      return await exchange(options);
    } catch (error) {
      signs.onFailure?.(error);
      throw error;
    }
  };
  // The SDK's type lets each caller claim any type for its answer; this is the one place where that is granted.
  const granted = request as (options: SdkRequest) => Promise<never>;
  return {
    request: granted,
    get: (url, options) => granted({ ...options, url, method: 'GET' }),
    delete: (url, options) => granted({ ...options, url, method: 'DELETE' }),
    head: (url, options) => granted({ ...options, url, method: 'HEAD' }),
    options: (url, options) => granted({ ...options, url, method: 'OPTIONS' }),
    post: (url, data, options) => granted({ ...options, url, data, method: 'POST' }),
    put: (url, data, options) => granted({ ...options, url, data, method: 'PUT' }),
    patch: (url, data, options) => granted({ ...options, url, data, method: 'PATCH' }),
  };
}

/** @throws FeishuRefusal, TransportError */
async function jsonAnswer(clock: Clock, request: HttpRequest): Promise<Fields> {
  const { status, headers, body } = await httpRequest(clock, request, MAX_ANSWER_BYTES);
  const answer = parseJson(body.toString('utf8'));
  const code = isRecord(answer) ? answer['code'] : undefined;
  if (status === RATE_LIMIT_STATUS || code === RATE_LIMIT_CODE) throw refusalOf(RATE_LIMIT_CODE, resetMs(headers));
  if (isRecord(answer)) return answer;
  // A gateway that fails may have passed the call on before.
  throw new TransportError('server_error', 'The answer is not what it should be', { effect: 'unknown' });
}

function urlOf({ url, params }: SdkRequest): URL {
  const full = new URL(url ?? '');
  for (const [name, value] of Object.entries(params ?? {})) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      full.searchParams.set(name, String(value));
    }
  }
  return full;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

function plainRequest({ method, headers, data, timeout, signal }: SdkRequest, url: URL, wayOut: WayOut): HttpRequest {
  const form = isRecord(data) && data['form'] instanceof FileForm ? data['form'] : undefined;
  const name = METHODS.find((known) => known === (method ?? 'GET').toUpperCase()) ?? 'GET';
  const plainHeaders: Record<string, string> = {};
  for (const [key, value] of Object.entries(headers ?? {})) if (typeof value === 'string') plainHeaders[key] = value;
  return {
    method: name,
    url,
    wayOut,
    timeoutMs: timeout ?? CALL_TIMEOUT_MS,
    ...(signal instanceof AbortSignal && { signal }),
    ...bodyOf(form, name === 'GET' ? undefined : data, plainHeaders),
  };
}

function bodyOf(
  form: FileForm | undefined,
  data: unknown,
  headers: Record<string, string>,
): Pick<HttpRequest, 'headers' | 'body'> {
  if (form) {
    return {
      headers: { ...headers, 'Content-Type': form.contentType },
      body: { stream: form.open(), length: form.length },
    };
  }
  if (data === undefined) return { headers };
  const body = JSON.stringify(data);
  return {
    headers: {
      ...headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
    },
    body,
  };
}

function resetMs(headers: IncomingHttpHeaders): number | undefined {
  const header = headers[RESET_HEADER];
  const seconds = Number(textOf(Array.isArray(header) ? header[0] : header));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined;
}
