import type { Update } from 'grammy/types';
import type { Clock, Timer } from '../../base/clock.js';
import { messageOf } from './inbound.js';

/** Updates of unbound private chats that are kept at most. */
const MAX_STRAYS = 200;
/**
 * From the right code to the account at work: the secret store and the disk may take several seconds each, and a person may be
 * asked to unlock the former.
 */
const EXPECTED_MS = 60_000;

/** A chat that showed the right code and whose account is being stored. */
export interface ExpectedChat {
  readonly languageCode: string | undefined;
}

/**
 * What people write in private chats that nobody is bound to yet, while one of them may be about to become bound: as long as
 * somebody pairs, and from then on for the paired chat until its account is at work or clearly never will be.
 */
export class Strays {
  readonly #clock: Clock;
  readonly #givenUp: () => void;
  readonly #expected = new Map<number, ExpectedChat & { readonly timer: Timer }>();
  #kept: Update[] = [];

  /** @param givenUp called when an expected chat was not bound in time */
  constructor(clock: Clock, givenUp: () => void) {
    this.#clock = clock;
    this.#givenUp = givenUp;
  }

  get isExpecting(): boolean {
    return this.#expected.size > 0;
  }

  /** The chat showed the right code: what it writes from here on is for the account to come. */
  expect(chatId: number, languageCode: string | undefined): void {
    this.#expected.get(chatId)?.timer.cancel();
    const timer = this.#clock.after(EXPECTED_MS, () => {
      this.#expected.delete(chatId);
      this.#kept = this.#kept.filter((update) => chatOf(update)?.id !== chatId);
      this.#givenUp();
    });
    this.#expected.set(chatId, { languageCode, timer });
  }

  /** Keeps an update of an unbound chat when it may still find its account. @param pairing whether somebody pairs right now */
  keep(update: Update, pairing: boolean): boolean {
    const chat = chatOf(update);
    if (chat?.type !== 'private' || !(pairing || this.#expected.has(chat.id))) return false;
    this.#kept = [...this.#kept, update].slice(-MAX_STRAYS);
    return true;
  }

  /** The last pairing has ended: only chats that are expected still matter. */
  pairingEnded(): void {
    this.#kept = this.#kept.filter((update) => this.#expected.has(chatOf(update)?.id ?? 0));
  }

  /** The chat has its account: what it wrote so far, and whether it was expected. */
  claim(chatId: number): { readonly updates: readonly Update[]; readonly expected: ExpectedChat | undefined } {
    const expected = this.#expected.get(chatId);
    expected?.timer.cancel();
    this.#expected.delete(chatId);
    const updates = this.#kept.filter((update) => chatOf(update)?.id === chatId);
    this.#kept = this.#kept.filter((update) => chatOf(update)?.id !== chatId);
    return { updates, expected };
  }

  clear(): void {
    for (const { timer } of this.#expected.values()) timer.cancel();
    this.#expected.clear();
    this.#kept = [];
  }
}

function chatOf(update: Update): { readonly id: number; readonly type: string } | undefined {
  return messageOf(update)?.chat;
}
