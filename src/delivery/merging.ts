import { TargetRefusal } from '../base/errors.js';
import type { ReplyWindowCapable, TargetSession } from '../targets/target.js';

/** One message that waits to be sent. */
export interface Waiting {
  readonly channelId: string;
  readonly text: string;
  /** Replies that it takes by itself. */
  readonly needs: number;
  /** A text of which nothing is at the network yet. */
  readonly isWhole: boolean;
}

/** What is to be sent next as one message: the first `count` of those that wait. */
export interface Batch {
  readonly count: number;
  readonly text: string;
  readonly needs: number;
}

export type ReplyRules = Pick<ReplyWindowCapable, 'scarceFrom' | 'reserve'>;

/** Between messages that became one. */
const SEPARATOR = '\n\n';

/**
 * The oldest message by itself while replies suffice; otherwise as many of the oldest as fit into one reply. Undefined when nothing
 * waits.
 * @param fitsOne whether a text takes one reply
 */
export function nextBatch(
  waiting: readonly Waiting[],
  remaining: number,
  rules: ReplyRules,
  fitsOne: (text: string) => boolean,
): Batch | undefined {
  const [head, ...rest] = waiting;
  if (!head) return undefined;
  const alone = { count: 1, text: head.text, needs: head.needs };
  const total = waiting.reduce((sum, { needs }) => sum + needs, 0);
  if (remaining - total > rules.scarceFrom || !head.isWhole) return alone;
  let batch: Batch = alone;
  for (const next of rest) {
    const text = batch.text + SEPARATOR + next.text;
    if (!next.isWhole || next.channelId !== head.channelId || !fitsOne(text)) break;
    batch = { count: batch.count + 1, text, needs: 1 };
  }
  return batch;
}

/** Whether replies are so few that a message needing this many waits for others to go along with it. */
export function isLean(remaining: number, needs: number, rules: ReplyRules): boolean {
  return remaining <= rules.scarceFrom || takesReserve(remaining, needs, rules);
}

/** Whether it would leave less than what is kept for the end of the run. */
export function takesReserve(remaining: number, needs: number, { reserve }: ReplyRules): boolean {
  return remaining - needs < reserve;
}

/** Whether the window allows all of them, merged where they can be. */
export function allFit(
  waiting: readonly Waiting[],
  remaining: number,
  rules: ReplyRules,
  fitsOne: (text: string) => boolean,
): boolean {
  let left = remaining;
  for (let rest = waiting; rest.length > 0;) {
    const batch = nextBatch(rest, left, rules, fitsOne);
    if (!batch) break;
    left -= batch.needs;
    if (left < 0) return false;
    rest = rest.slice(batch.count);
  }
  return true;
}

/** Whether the network takes this text as one reply. */
export function takesOneReply(session: TargetSession, text: string): boolean {
  // A merged message in doubt is a message in doubt of each of them; where repeats are safe, each is better repeated by itself.
  if (session.idempotentSends) return false;
  try {
    return session.plan({ text, files: [] }).length === 1;
  } catch (error) {
    if (error instanceof TargetRefusal) return false;
    throw error;
  }
}
