import { TargetRefusal, TransportError } from '../../base/errors.js';
import { PageAnswer } from './transport.js';

/** What Telegram said no to, beyond what a {@link TargetRefusal} tells every network's callers. */
export class TelegramRefusal extends TargetRefusal {
  /** The group became a supergroup: its new chat id. */
  readonly migrateTo: number | undefined;
  constructor(rule: RefusalRule, parameters: ErrorParameters) {
    super(rule.code, rule.message, {
      retryable: rule.retryable ?? false,
      ...(rule.code === 'rate_limited' ? { retryAfterMs: retryAfterMs(parameters) } : {}),
      ...(rule.account ? { account: rule.account } : {}),
    });
    this.migrateTo = parameters.migrate_to_chat_id;
  }
}

export type TelegramCode = (typeof RULES)[number]['code'] | 'target_rejected';

interface RefusalRule {
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
  readonly account?: 'revoked' | 'blocked';
}

interface ErrorParameters {
  readonly retry_after?: number;
  readonly migrate_to_chat_id?: number;
}

/** Used when Telegram limits without saying for how long, or says what would be no wait at all. */
const DEFAULT_RETRY_AFTER_S = 5;

/**
 * Methods every Bot API server has: a 404 for one of these means that the token is not known there. For any other it means the
 * method: not every server says so in Telegram's words, and of a token that is gone the poll hears by itself.
 */
const CORE_METHODS = new Set(['getMe', 'getUpdates', 'sendMessage']);

/**
 * Telegram's refusals, first match wins: error code, what its description holds (lower case), and what it means to us.
 * Descriptions are not part of any contract, so each rule needs its code too and none is relied on for "it worked".
 */
const RULES = [
  { status: 400, has: ['group chat was upgraded'], code: 'group_migrated', message: 'The group became a supergroup' },
  { status: 400, has: ['message is not modified'], code: 'not_modified', message: 'The message is that already' },
  {
    status: 400,
    has: ["can't parse entities", 'entity_'],
    code: 'entities_refused',
    message: 'Telegram could not read the formatting',
  },
  {
    status: 400,
    has: ['too long', 'message_too_long'],
    code: 'message_too_long',
    message: 'The message is too long for Telegram',
  },
  {
    status: 400,
    has: ['text is empty', 'must be non-empty', 'message_empty'],
    code: 'message_empty',
    message: 'Telegram takes no empty message',
  },
  {
    status: 400,
    has: ['chat not found', 'peer_id_invalid', 'chat_id_invalid'],
    code: 'chat_not_found',
    message: 'The bot does not know this chat; press Start in it first',
  },
  {
    status: 400,
    has: ['thread not found', 'topic_closed', 'topic_deleted', 'topics are disabled'],
    code: 'topic_gone',
    message: 'The topic does not exist any more',
  },
  {
    status: 400,
    has: ['message to edit not found', "message can't be edited", 'message_id_invalid', 'message to delete not found'],
    code: 'message_gone',
    message: 'The message can not be changed any more',
  },
  {
    status: 400,
    has: ['file is too big', 'file too large', 'file_parts_invalid'],
    code: 'file_too_large',
    message: 'The file is too large for Telegram',
  },
  {
    status: 400,
    has: ['wrong file_id', 'invalid file_id', 'wrong file identifier', 'file_reference'],
    code: 'file_gone',
    message: 'Telegram does not have the file any more',
  },
  {
    status: 400,
    has: ['temporarily unavailable'],
    code: 'file_unavailable',
    message: 'The file is not available at the moment',
    retryable: true,
  },
  {
    status: 400,
    has: [
      'photo_',
      'image_process_failed',
      'wrong file type',
      'video_',
      'voice_messages_forbidden',
      'wrong type of the web page',
    ],
    code: 'media_refused',
    message: 'Telegram does not take the file in this form',
  },
  { status: 400, has: ['textdraft_'], code: 'draft_refused', message: 'This chat takes no drafts' },
  {
    status: 400,
    has: ['not enough rights', 'have no rights', 'chat_write_forbidden', 'need administrator rights'],
    code: 'no_rights',
    message: 'The bot may not write in this chat',
  },
  {
    status: 403,
    has: [''],
    code: 'blocked',
    message: 'The bot was blocked, or removed from the chat',
    account: 'blocked',
  },
  { status: 409, has: ['webhook'], code: 'webhook_active', message: 'A webhook is set for this bot', retryable: true },
  {
    status: 409,
    has: [''],
    code: 'polled_elsewhere',
    message: 'Another program receives the messages of this bot',
    retryable: true,
  },
  { status: 413, has: [''], code: 'file_too_large', message: 'The file is too large for Telegram' },
  { status: 420, has: [''], code: 'rate_limited', message: 'Telegram asks for patience', retryable: true },
  { status: 429, has: [''], code: 'rate_limited', message: 'Telegram asks for patience', retryable: true },
] as const satisfies readonly (RefusalRule & { status: number; has: readonly string[] })[];

const TOKEN_REVOKED: RefusalRule = {
  code: 'token_revoked',
  message: 'Telegram does not accept the bot token',
  account: 'revoked',
};
const METHOD_UNKNOWN: RefusalRule = { code: 'method_unknown', message: 'The Bot API server does not know this method' };
const REJECTED: RefusalRule = { code: 'target_rejected', message: 'Telegram rejected the request' };

/**
 * The one place where what the library throws becomes one of the three error families. Nothing of the original error, which
 * may hold the token's URL, goes on.
 */
export function toTelegramError(error: unknown): TargetRefusal | TransportError {
  if (error instanceof TargetRefusal || error instanceof TransportError) return error;
  if (isApiError(error)) {
    // A fault of theirs is no refusal: it may have come after the message was sent.
    if (error.error_code >= 500) {
      return new TransportError('server_error', 'Telegram has a fault at the moment', { effect: 'unknown' });
    }
    return new TelegramRefusal(ruleFor(error), error.parameters ?? {});
  }
  const cause = isHttpError(error) ? error.error : error;
  if (cause instanceof TransportError) return cause;
  if (isMissingFile(cause)) {
    return new TargetRefusal('file_unavailable', 'The file is not there any more', { retryable: false });
  }
  return new TransportError('connection_lost', 'The exchange with Telegram broke', { effect: 'unknown' });
}

/** Whether Telegram refused with this code. */
export function isRefusal(
  error: unknown,
  ...codes: readonly (TelegramCode | 'token_revoked' | 'method_unknown')[]
): error is TargetRefusal {
  return error instanceof TargetRefusal && codes.some((code) => code === error.code);
}

/** Whether the server has no such method. One of one's own may be older than it, and say so in a bare page. */
export function isMethodUnknown(error: unknown): boolean {
  return isRefusal(error, 'method_unknown') || (error instanceof PageAnswer && error.status === 404);
}

function ruleFor({ error_code, description, method }: ApiError): RefusalRule {
  const text = description.toLowerCase();
  if (error_code === 401) return TOKEN_REVOKED;
  if (error_code === 404) return CORE_METHODS.has(method) ? TOKEN_REVOKED : METHOD_UNKNOWN;
  const words = RULES.find(({ status, has }) => status === error_code && has.some((part) => text.includes(part)));
  return words ?? REJECTED;
}

function retryAfterMs({ retry_after }: ErrorParameters): number {
  const isTime = typeof retry_after === 'number' && retry_after > 0;
  return (isTime ? retry_after : DEFAULT_RETRY_AFTER_S) * 1_000;
}

interface ApiError {
  readonly error_code: number;
  readonly description: string;
  readonly method: string;
  readonly parameters?: ErrorParameters;
}

/** By shape, so that judging an error does not load the library. */
function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && error.name === 'GrammyError' && 'error_code' in error && 'description' in error;
}

function isHttpError(error: unknown): error is { readonly error: unknown } {
  return error instanceof Error && error.name === 'HttpError' && 'error' in error;
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES');
}
