import { wallTime, type Clock } from '../../base/clock.js';
import { parseJson } from '../../base/parse-json.js';
import { arrayOf, fieldsOf, numberOf } from '../json-fields.js';
import type { Intake, ReplyWindow, ReplyWindowCapable } from '../target.js';
import { seal, unseal } from './sealed.js';

/** Keys of the consumer state of one WeChat account, written with the messages they came with. */
export const STATE_KEYS = ['cursor', 'context_token', 'context_at', 'sends_used', 'newest'] as const;
export type StateKey = (typeof STATE_KEYS)[number];

/** Replies the network takes after one message of the person, as reported; the last is not used up by ourselves. */
export const REPLIES_PER_MESSAGE = 10;
/** Replies used from which on the rest is spent sparingly: what can be sent together is. Eight go unhindered by all reports. */
const SOFT_CAP_REPLIES = 8;
/** Replies kept for the answer that ends a run. */
export const RESERVED_REPLIES = 1;
/** Replies are taken this long after the person's last message, as the product's own text says. Milliseconds. */
export const REPLY_WINDOW_MS = 24 * 60 * 60 * 1000;
/** Messages remembered so that one delivered again does not look like a new right to reply. */
const REMEMBERED = 64;
/** A message's own time further ahead of our clock than this is not believed: it would hide every later message. Milliseconds. */
const MAX_AHEAD_MS = 5 * 60 * 1000;

/** What of an inbound message gives the right to reply. */
export interface Opening {
  readonly id: string;
  readonly contextToken: string | undefined;
  /** The network's own time of the message, Unix ms. */
  readonly sentAt: number | undefined;
}

/** The right to reply as it stands on disk. */
interface Right {
  readonly token: string;
  /** Unix ms of our receipt. */
  readonly since: number;
  readonly used: number;
}

/** The messages that gave the right last. */
interface Newest {
  readonly sentAt: number;
  readonly ids: readonly string[];
}

/** What a batch changes: written together with it, then taken over by `apply`. */
export interface Renewal {
  readonly state: Readonly<Record<string, string>>;
  apply(): void;
}

/** The consumer's name is the person's: it outlives a change of the bot id. */
export function consumerOf(userId: string): string {
  return `wechat/${userId}`;
}

/**
 * The right to reply to one person: the newest context token, how old it is, and how many replies went out under it.
 * Kept in the consumer's state, so that it is as durable as the message that brought it.
 */
export class Conversation implements ReplyWindowCapable {
  readonly consumer: string;
  readonly scarceFrom = REPLIES_PER_MESSAGE - SOFT_CAP_REPLIES;
  readonly reserve = RESERVED_REPLIES;
  readonly #listeners = new Set<() => void>();
  readonly #clock: Clock;
  readonly #intake: Intake;
  readonly #sealKey: string;
  #right: Right | undefined;
  #newest: Newest;

  constructor(parts: { userId: string; clock: Clock; intake: Intake; sealKey: string }) {
    this.consumer = consumerOf(parts.userId);
    this.#clock = parts.clock;
    this.#intake = parts.intake;
    this.#sealKey = parts.sealKey;
    this.#right = this.#storedRight();
    this.#newest = readNewest(this.#read('newest'));
  }

  get cursor(): string {
    return this.#read('cursor') ?? '';
  }

  /** The newest token, to be echoed on every send. */
  get contextToken(): string | undefined {
    return this.#right?.token;
  }

  /**
   * The right to reply after these messages. A message delivered again may bring another token, which counts, but no new
   * replies; one older than what gave the right last brings nothing.
   */
  renew(messages: readonly Opening[]): Renewal {
    const now = this.#clock.now();
    const since = this.#clock.steady();
    let change: { readonly token: string; readonly isFresh: boolean } | undefined;
    let newest = this.#newest;
    for (const { id, contextToken, sentAt } of messages) {
      const isKnown = newest.ids.includes(id);
      const at = sentAt === undefined || sentAt > now + MAX_AHEAD_MS ? newest.sentAt : sentAt;
      if (contextToken !== undefined && at >= newest.sentAt) {
        const isFresh = !isKnown || this.#right === undefined || change?.isFresh === true;
        change = { token: contextToken, isFresh };
        newest = { ...newest, sentAt: at };
      }
      if (!isKnown) newest = { ...newest, ids: [...newest.ids, id].slice(-REMEMBERED) };
    }
    return {
      state: {
        ...(change && { context_token: seal(this.#sealKey, change.token) }),
        ...(change?.isFresh === true && { context_at: String(since), sends_used: '0' }),
        ...(newest === this.#newest ? {} : { newest: JSON.stringify(newest) }),
      },
      apply: () => {
        this.#newest = newest;
        if (change?.isFresh === true) {
          this.#right = { token: change.token, since, used: 0 };
          for (const listener of [...this.#listeners]) listener();
        } else if (change && this.#right) {
          // Replies that were counted while the batch was on its way to the disk stay counted.
          this.#right = { ...this.#right, token: change.token };
        }
      },
    };
  }

  onRenewed(fn: () => void): () => void {
    this.#listeners.add(fn);
    return () => void this.#listeners.delete(fn);
  }

  /** One reply was taken by the network, or may have been. Counted at once, durable when it resolves. */
  used(): Promise<void> {
    return this.#count((this.#right?.used ?? 0) + 1);
  }

  /** The network said that nothing more goes through: until the person writes again. */
  exhausted(): Promise<void> {
    return this.#count(Math.max(this.#right?.used ?? 0, REPLIES_PER_MESSAGE));
  }

  /** Remaining replies as we counted them; none before the person's first message. */
  window(): ReplyWindow {
    const now = this.#clock.steady();
    const end = this.#right ? this.#right.since + REPLY_WINDOW_MS : now;
    const remaining = this.#right && now < end ? Math.max(0, REPLIES_PER_MESSAGE - this.#right.used) : 0;
    return { remaining, limit: REPLIES_PER_MESSAGE, until: wallTime(this.#clock, end) };
  }

  async #count(used: number): Promise<void> {
    if (!this.#right) return;
    this.#right = { ...this.#right, used };
    await this.#intake.commit({ consumer: this.consumer, state: { sends_used: String(used) }, messages: [] });
  }

  #storedRight(): Right | undefined {
    const sealed = this.#read('context_token');
    const token = sealed === undefined ? undefined : unseal(this.#sealKey, sealed);
    const since = Number(this.#read('context_at'));
    if (token === undefined || !Number.isFinite(since)) return undefined;
    return { token, since, used: Number(this.#read('sends_used')) || 0 };
  }

  #read(key: StateKey): string | undefined {
    return this.#intake.state(this.consumer, key);
  }
}

function readNewest(text: string | undefined): Newest {
  const { sentAt, ids } = fieldsOf(text === undefined ? undefined : parseJson(text));
  return { sentAt: numberOf(sentAt) ?? 0, ids: arrayOf(ids).filter((id) => typeof id === 'string') };
}
