/** What a rehearsal does, in this order; each has words. */
export const REHEARSAL_STEPS = [
  'card',
  'key',
  'refusals',
  'hello',
  'channel',
  'inbound',
  'answer',
  'repeat',
  'file',
  'cleanup',
] as const;
export type RehearsalStepId = (typeof REHEARSAL_STEPS)[number];

/** Why a step failed; each has words. */
export const REHEARSAL_CODES = [
  /** The server does not listen, because its port is taken. */
  'port_taken',
  /** It listens, and can't be reached all the same. */
  'server_unreachable',
  /** No network is switched on, so that there is nothing to connect to. */
  'no_connectors',
  'card_invalid',
  /** The secret store is not ready, so that the key can't be read or a sign-in not be kept. */
  'key_unavailable',
  'key_refused',
  /** A wrong key, a foreign Host or a foreign Origin was let in. */
  'not_refused',
  'hello_refused',
  'sign_in_failed',
  /** The person paused delivery: the message is kept and not offered. */
  'delivery_paused',
  'message_not_offered',
  'message_not_confirmed',
  'answer_refused',
  'answer_not_shown',
  /** The repeated answer was not known again. */
  'answered_twice',
  'upload_refused',
  /** No room for files. */
  'quota_exceeded',
  'file_differs',
  'not_cleaned_up',
  /** It took too long. */
  'timeout',
  'connection_lost',
  'internal_error',
] as const;
export type RehearsalCode = (typeof REHEARSAL_CODES)[number];
