import type { BackoffPolicy } from '../base/backoff.js';
import type { OutboundVerdict } from './delivery.js';

/** How long a message waits for the person, milliseconds: what an agent said more than a day ago answers nothing any more. */
export const HELD_TTL_MS = 24 * 3_600_000;
/** Held messages of one account, and bytes of their texts: beyond either an agent is refused for good, and nothing else is given up. */
export const HELD_MAX_MESSAGES = 50;
export const HELD_MAX_BYTES = 1_048_576;
/** While replies are scarce: silence of the agent from which on its run counts as over, milliseconds. */
export const MERGE_QUIET_MS = 3_000;
/** The longest that a message waits for others of the same run, milliseconds: an agent waits for its verdict. */
export const MERGE_MAX_MS = 20_000;
/** The same where it would take the reply that is kept for the end of the run. */
export const RESERVE_MAX_MS = 180_000;
/** After this an agent is told that its message is held, milliseconds: answers are expected within half a minute. */
export const HELD_ANSWER_MS = 25_000;
/** Pauses between tries while the network can't be reached: no agent stands behind a held message that would ask again. */
export const HELD_RETRY: BackoffPolicy = { initialMs: 2_000, maxMs: 60_000 };

/** What a held message waits for, besides the code of a network's own refusal. */
export const Wait = { closed: 'reply_window_closed', scarce: 'replies_scarce' } as const;

/** For agents and developers, in English. */
export const HELD_WORDS = {
  closed: 'the person has to write first: the message is kept, and sent once when they do',
  scarce: 'few replies are left: the message is kept, and sent together with what follows',
  full: 'the person has to write first, and as much as may be is kept for them already',
  expired: 'the person did not write in time',
  discarded: 'the person discarded the message while it was kept for them',
  signedOut: 'the account signed out while the message was kept for its person',
} as const;

export function heldVerdict(code: string): OutboundVerdict {
  return { status: 'held', code, message: code === Wait.scarce ? HELD_WORDS.scarce : HELD_WORDS.closed };
}
