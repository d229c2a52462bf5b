import { TargetRefusal, TransportError } from '../../base/errors.js';
import { isRecord, textOf, type Fields } from '../json-fields.js';
import { parseLossless } from './lossless-json.js';

/** Stale token: taken over elsewhere, expired or revoked. */
const STALE_TOKEN = -14;
/** Too many messages, or none allowed before the person writes; also what wrong arguments get. */
const OVERLOADED = -2;
const BAD_RECIPIENT = -3;

/** The network's words for wrong arguments under a code that also means "not now". */
const BAD_ARGUMENTS = /invalid arg|required/i;

/** HTTP statuses that speak of the moment, not of the call. */
const TOO_MANY = 429;
const TRANSIENT: readonly number[] = [408, 425];

/**
 * The one reading of success: HTTP 2xx, an object, and neither `ret` nor `errcode` set to anything but 0. A bare `{}` is
 * a success on some paths; an empty body is no answer, though clients that looked at HTTP alone took it for one.
 * @throws TargetRefusal for a code; TransportError `bad_answer` or `http_<status>`, effect unknown
 */
export function readAnswer(status: number, body: Buffer): Fields {
  if (status === TOO_MANY)
    throw new TargetRefusal('rate_limited', 'The network asked to slow down', { retryable: true });
  if (status >= 400 && status < 500 && !TRANSIENT.includes(status)) {
    throw new TargetRefusal(`http_${status}`, 'The network refused the call', { retryable: false });
  }
  if (status < 200 || status >= 300) {
    throw new TransportError(`http_${status}`, 'The network answered with an error', { effect: 'unknown' });
  }
  let value: unknown;
  try {
    value = parseLossless(body.toString('utf8'));
  } catch {
    throw badAnswer();
  }
  if (!isRecord(value)) throw badAnswer();
  for (const field of ['ret', 'errcode']) {
    const code = codeOf(value[field]);
    if (code !== 0) throw refusalOf(code, textOf(value['errmsg']) ?? '');
  }
  return value;
}

/** The answer can't be read; whether the call had its effect is not known. */
export function badAnswer(): TransportError {
  return new TransportError('bad_answer', 'The network answered something that can not be read', { effect: 'unknown' });
}

export function isStaleToken(error: unknown): boolean {
  return error instanceof TargetRefusal && error.code === 'stale_token';
}

/** Whether the API itself answered, be it with a refusal; not a gateway before it. */
export function isAnswered(error: unknown): boolean {
  return error instanceof TargetRefusal && !error.code.startsWith('http_') && error.code !== 'rate_limited';
}

function codeOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const code = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof code !== 'number') throw badAnswer();
  return code;
}

/** The words of the answer are only looked at, never repeated. */
function refusalOf(code: number, words: string): TargetRefusal {
  switch (code) {
    case STALE_TOKEN:
      return new TargetRefusal('stale_token', 'The WeChat sign-in is no longer valid', {
        retryable: false,
        account: 'expired',
      });
    case OVERLOADED:
      return BAD_ARGUMENTS.test(words)
        ? new TargetRefusal('bad_arguments', 'WeChat refused the call as malformed (ret -2)', { retryable: false })
        : new TargetRefusal('reply_window', 'WeChat takes no message now (ret -2): the person has to write first', {
            retryable: false,
            awaitsPerson: true,
          });
    case BAD_RECIPIENT:
      return new TargetRefusal('bad_recipient', 'WeChat does not know this conversation (ret -3)', {
        retryable: false,
      });
    default:
      return new TargetRefusal(`ret_${code}`, `WeChat refused the call (ret ${code})`, { retryable: false });
  }
}
