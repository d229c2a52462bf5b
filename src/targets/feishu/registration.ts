import type { Clock } from '../../base/clock.js';
import { TransportError } from '../../base/errors.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { parseJson } from '../../base/parse-json.js';
import { httpRequest } from '../http-request.js';
import { fieldsOf, isRecord, numberOf, textOf, type Fields } from '../json-fields.js';

const PATH = '/oauth/v1/app/registration';
/** Deadline of one call, milliseconds. */
const CALL_TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** For an answer that names neither: the values of the vendor's own SDK. Seconds. */
const DEFAULT_EXPIRY_S = 600;
const DEFAULT_INTERVAL_S = 5;

/** A registration that waits for a person. */
export interface Registration {
  readonly deviceCode: string;
  /** `verification_uri_complete`. */
  readonly link: URL;
  readonly expiresInMs: number;
  /** Least time between two polls, milliseconds. */
  readonly intervalMs: number;
}

export interface RegisteredApp {
  readonly appId: string;
  readonly appSecret: string;
  readonly ownerId: string | undefined;
}

export type PollAnswer =
  | { readonly kind: 'pending' | 'slow_down' | 'denied' | 'expired' }
  /** The person's company is at the other brand's servers, which have the credentials. */
  | { readonly kind: 'lark' }
  | { readonly kind: 'registered'; readonly app: RegisteredApp; readonly isLark: boolean }
  | { readonly kind: 'failed'; readonly code: string };

/** An accounts service, and how it is reached. */
export interface Accounts {
  readonly clock: Clock;
  readonly wayOut: WayOut;
  readonly base: string;
}

/** Begins a registration. @throws TransportError */
export async function beginRegistration(accounts: Accounts, signal: AbortSignal): Promise<Registration> {
  const answer = await post(accounts, signal, {
    action: 'begin',
    archetype: 'PersonalAgent',
    auth_method: 'client_secret',
    request_user_info: 'open_id',
  });
  const deviceCode = textOf(answer['device_code']);
  const link = linkOf(answer['verification_uri_complete']);
  if (deviceCode === undefined || link === undefined) throw notAsExpected();
  // Both spellings are in use.
  const expiry = numberOf(answer['expires_in']) ?? numberOf(answer['expire_in']) ?? DEFAULT_EXPIRY_S;
  const interval = numberOf(answer['interval']) ?? DEFAULT_INTERVAL_S;
  return { deviceCode, link, expiresInMs: expiry * 1_000, intervalMs: interval * 1_000 };
}

/** Asks how a registration stands. @param acceptLark whether this is not yet Lark's server @throws TransportError */
export async function pollRegistration(
  accounts: Accounts,
  deviceCode: string,
  acceptLark: boolean,
  signal: AbortSignal,
): Promise<PollAnswer> {
  const answer = await post(accounts, signal, { action: 'poll', device_code: deviceCode });
  const user = fieldsOf(answer['user_info']);
  const isLark = user['tenant_brand'] === 'lark';
  if (isLark && acceptLark) return { kind: 'lark' };
  const appId = textOf(answer['client_id']);
  const appSecret = textOf(answer['client_secret']);
  if (appId !== undefined && appSecret !== undefined) {
    return { kind: 'registered', isLark, app: { appId, appSecret, ownerId: textOf(user['open_id']) } };
  }
  const error = textOf(answer['error']);
  switch (error) {
    case undefined:
    case 'authorization_pending':
      return { kind: 'pending' };
    case 'slow_down':
      return { kind: 'slow_down' };
    case 'access_denied':
      return { kind: 'denied' };
    case 'expired_token':
      return { kind: 'expired' };
    default:
      return { kind: 'failed', code: error };
  }
}

/** The body counts whatever the HTTP status is: waiting is answered with 400. */
async function post(
  { clock, wayOut, base }: Accounts,
  signal: AbortSignal,
  form: Record<string, string>,
): Promise<Fields> {
  const body = new URLSearchParams(form).toString();
  const answer = await httpRequest(
    clock,
    {
      method: 'POST',
      url: new URL(`${base}${PATH}`),
      wayOut,
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': String(Buffer.byteLength(body)),
      },
      body,
      timeoutMs: CALL_TIMEOUT_MS,
      signal,
    },
    MAX_ANSWER_BYTES,
  );
  const fields = parseJson(answer.body.toString('utf8'));
  if (!isRecord(fields)) throw notAsExpected();
  return fields;
}

function linkOf(value: unknown): URL | undefined {
  try {
    const link = new URL(textOf(value) ?? '');
    return link.protocol === 'https:' || link.protocol === 'http:' ? link : undefined;
  } catch {
    return undefined;
  }
}

function notAsExpected(): TransportError {
  return new TransportError('server_error', 'The answer is not what it should be', { effect: 'none' });
}
