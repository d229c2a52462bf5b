import { TargetRefusal, TransportError } from '../../base/errors.js';

/** What a code of Feishu means for us. Codes as in its API reference; texts are our own. */
type Meaning =
  | { readonly kind: 'busy'; readonly code: string; readonly message: string }
  | { readonly kind: 'no'; readonly code: string; readonly message: string }
  | { readonly kind: 'revoked'; readonly code: string; readonly message: string }
  | { readonly kind: 'token' };

const busy = (code: string, message: string): Meaning => ({ kind: 'busy', code, message });
const no = (code: string, message: string): Meaning => ({ kind: 'no', code, message });
const revoked = (message: string): Meaning => ({ kind: 'revoked', code: 'token_revoked', message });
const rateLimited = busy('rate_limited', 'Feishu asks to slow down');
const fault = busy('server_error', 'Feishu has a fault of its own');
const notPermitted = no('permission_missing', 'The Feishu app lacks a permission for this');
const noRecipient = no('recipient_unavailable', 'The person can not be reached through this app');
const messageGone = no('message_gone', 'The message is no longer there');
const tooLong = no('text_too_long', 'The text is longer than Feishu takes');
const fileRefused = no('media_refused', 'Feishu refused the file');

const MEANINGS: Readonly<Record<number, Meaning>> = {
  // The gateway. 99991400 is the rate limit, at HTTP 429 or, with older calls, 400.
  99991400: rateLimited,
  11232: rateLimited,
  99991661: { kind: 'token' },
  99991663: { kind: 'token' },
  99991664: { kind: 'token' },
  99991668: { kind: 'token' },
  99991671: { kind: 'token' },
  99991672: notPermitted,
  99991679: notPermitted,
  99991543: revoked('Feishu does not take the credentials of the app'),
  99991660: revoked('The Feishu app is disabled'),
  99991662: revoked('The Feishu app is disabled'),
  99991673: revoked('The Feishu app is disabled'),
  10003: revoked('Feishu does not know the app'),
  10012: revoked('Feishu does not know the app'),
  10014: revoked('Feishu does not take the secret of the app'),

  // The long connection's endpoint.
  1: fault,
  403: revoked('Feishu does not let the app connect'),
  514: revoked('Feishu does not take the credentials of the app'),
  1000040343: fault,
  1000040350: busy('too_many_connections', 'The app has too many connections'),

  // Messages.
  230001: no('bad_arguments', 'Feishu did not understand the message'),
  230002: noRecipient,
  230006: no('bot_disabled', 'The bot of the Feishu app is switched off'),
  230011: messageGone,
  230013: noRecipient,
  230017: no('not_ours', 'The file belongs to another app'),
  230018: no('recipient_refused', 'The settings of the conversation do not allow this'),
  230019: no('topic_gone', 'The topic is no longer there'),
  230020: rateLimited,
  230022: no('content_refused', 'Feishu refused the content'),
  230025: tooLong,
  230027: notPermitted,
  230028: no('content_refused', 'Feishu refused the content'),
  230034: noRecipient,
  230035: no('recipient_refused', 'Feishu does not allow to write to this conversation'),
  230038: noRecipient,
  230049: busy('being_sent', 'Feishu is still sending this message'),
  230050: messageGone,
  230053: { kind: 'no', code: 'blocked', message: 'The person does not take messages of this bot' },
  230055: fileRefused,
  230099: no('card_refused', 'Feishu refused the card'),
  230101: busy('recipient_unavailable', 'Feishu does not deliver to the person for now'),
  231003: messageGone,
  232009: noRecipient,

  // Files.
  234001: fileRefused,
  234006: no('file_too_large', 'The file is larger than Feishu takes'),
  234010: no('file_empty', 'Feishu takes no empty file'),
  234003: no('file_gone', 'Feishu does not have the file any more'),
  234004: no('file_gone', 'Feishu does not have the file any more'),
  234008: no('file_gone', 'Feishu does not give the file to this app'),
  234037: no('file_too_large', 'The file is larger than Feishu gives to apps'),
  234038: no('file_gone', 'The conversation does not allow its files to be taken out'),
  234043: no('file_gone', 'Feishu does not give files of forwarded messages'),

  // Cards.
  300305: no('card_refused', 'The text does not fit into the card'),
  300309: no('card_closed', 'The card does not stream any more'),
  300313: no('card_refused', 'The card has no such part'),
  300317: no('card_sequence', 'The card was changed later'),
};

/** The network's refusal, with the number it gave. */
export class FeishuRefusal extends TargetRefusal {
  constructor(
    readonly number: number,
    code: string,
    message: string,
    options: ConstructorParameters<typeof TargetRefusal>[2],
  ) {
    super(code, message, options);
  }
}

/** Whether a fresh access token may help. */
export function isTokenCode(number: number): boolean {
  return MEANINGS[number]?.kind === 'token';
}

/**
 * @param number the answer's `code`, not 0
 * @param retryAfterMs milliseconds that the answer's head asked for
 */
export function refusalOf(number: number, retryAfterMs?: number): FeishuRefusal {
  const meaning = MEANINGS[number];
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
  switch (meaning?.kind) {
    case 'busy':
      return new FeishuRefusal(number, meaning.code, meaning.message, { retryable: true, ...wait });
    case 'no': {
      const account = meaning.code === 'blocked' ? { account: 'blocked' as const } : {};
      return new FeishuRefusal(number, meaning.code, meaning.message, { retryable: false, ...account });
    }
    case 'revoked':
      return new FeishuRefusal(number, meaning.code, meaning.message, { retryable: false, account: 'revoked' });
    case 'token':
      return new FeishuRefusal(number, 'token_refused', 'Feishu did not take a fresh access token', {
        retryable: true,
      });
    case undefined:
      return new FeishuRefusal(number, `feishu_${number}`, 'Feishu refused the call', { retryable: false });
  }
}

export function isRefusal(error: unknown, ...codes: readonly string[]): error is TargetRefusal {
  return error instanceof TargetRefusal && codes.includes(error.code);
}

/** The same failure of a call that has no visible effect, or the same effect however often it is made. */
export function withoutEffect(error: unknown): unknown {
  if (!(error instanceof TransportError)) return error;
  return new TransportError(error.code, error.message, { effect: 'none' });
}
