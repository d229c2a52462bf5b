import type { Update } from 'grammy/types';
import type { Clock } from '../../base/clock.js';
import type { BotIdentity } from './addressing.js';
import { ALBUM_WINDOW_MS, addressedAlbumsOf } from './inbound.js';

/**
 * How long an album counts as one that speaks to the bot. Its pictures are updates of their own and may come in several polls,
 * so this is several times the moment in which Telegram sends them.
 */
const REMEMBERED_MS = 20 * ALBUM_WINDOW_MS;
/** More albums than people send within that time; whoever sends more loses the oldest. */
const MAX_REMEMBERED = 200;

/** Albums in which a picture spoke to the bot: a caption stands on one picture only, and the others are meant too. */
export class AddressedAlbums {
  readonly #clock: Clock;
  /** Group id and monotonic time of its end, oldest first. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Notes the albums of these updates and tells all that are remembered. */
  with(updates: readonly Update[], bot: BotIdentity): ReadonlySet<string> {
    const now = this.#clock.monotonic();
    for (const album of addressedAlbumsOf(updates, bot)) {
      this.#until.delete(album);
      this.#until.set(album, now + REMEMBERED_MS);
    }
    for (const [album, end] of this.#until) {
      if (end > now && this.#until.size <= MAX_REMEMBERED) break;
      this.#until.delete(album);
    }
    return new Set(this.#until.keys());
  }
}
