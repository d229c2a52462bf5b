import type { Clock, Timer } from '../base/clock.js';
import type { AccountFacts } from '../connector/connector.js';

/** Letters of a pulse: one a minute, for half an hour. */
export const PULSE_MINUTES = 30;
const MINUTE_MS = 60_000;
/** How often the accounts are looked at: a round trip is noticed this late at most. Milliseconds. */
const PULSE_SAMPLE_MS = 5_000;
/** A look that comes this much later than it was due means that the machine slept; milliseconds. */
const SLEEP_GAP_MS = 30_000;
/**
 * How long a round trip proves that the network is heard, milliseconds: twice what this network lately let pass between two, at
 * least a minute, and never beyond the time after which nothing may look connected any more. A long pause is forgotten slowly,
 * because a busy minute says nothing about the quiet one that follows.
 */
const PROOF_MIN_MS = 60_000;
const PROOF_MAX_MS = 150_000;
const PROOF_FACTOR = 2;
const PROOF_DECAY = 0.1;

/** What one minute of one account came to; the letters of the snapshot's `pulse`. */
type Letter = 'a' | 'l' | 'n' | 's' | '-';

interface Track {
  /** Minutes since the board's beginning, by number; those before the account are not there. */
  readonly letters: Map<number, Letter>;
  /** Value last seen of the account's `lastRoundTripAt`. */
  seen: number | undefined;
  /** Board time at which the last round trip was noticed; undefined before the first and after a sleep. */
  provenAt: number | undefined;
  /** The minute in which that was. */
  provenIn: number | undefined;
  proofMs: number;
}

export interface PulseParts {
  readonly clock: Clock;
  readonly accounts: () => readonly AccountFacts[];
  /** A minute is over: every pulse has moved on. */
  readonly changed: () => void;
}

/**
 * Keeps the pulse of every account: whether round trips with its network completed, minute by minute. It believes what it sees
 * itself and keeps it in memory only: what was before the host's start is not known.
 */
export class PulseBoard {
  readonly #tracks = new Map<string, Track>();
  readonly #parts: PulseParts;
  /** Milliseconds since the beginning, awake or asleep. */
  #now = 0;
  #steady: number;
  #mono: number;
  #timer: Timer | undefined;

  constructor(parts: PulseParts) {
    this.#parts = parts;
    this.#steady = parts.clock.steady();
    this.#mono = parts.clock.monotonic();
    this.#sample();
    this.#arm();
  }

  /** Oldest minute first, the running one last. */
  of(accountId: string): string {
    const letters = this.#tracks.get(accountId)?.letters;
    const running = minuteOf(this.#now);
    return Array.from(
      { length: PULSE_MINUTES },
      (_, index) => letters?.get(running - PULSE_MINUTES + 1 + index) ?? '-',
    ).join('');
  }

  /** Looks at once: the machine woke, and the time asleep should show as that. */
  wake(): void {
    this.#look();
  }

  close(): void {
    this.#timer?.cancel();
  }

  #arm(): void {
    this.#timer = this.#parts.clock.after(PULSE_SAMPLE_MS, () => {
      this.#look();
      this.#arm();
    });
  }

  #look(): void {
    const before = minuteOf(this.#now);
    this.#pass();
    this.#sample();
    if (minuteOf(this.#now) !== before) this.#parts.changed();
  }

  /** Moves on by the time that passed, and marks what of it was sleep. */
  #pass(): void {
    const { clock } = this.#parts;
    const awake = clock.monotonic() - this.#mono;
    // Some systems stop the monotonic clock while they sleep, some do not.
    const passed = Math.max(awake, clock.steady() - this.#steady);
    this.#mono = clock.monotonic();
    this.#steady = clock.steady();
    if (passed < PULSE_SAMPLE_MS + SLEEP_GAP_MS) {
      this.#now += awake;
      return;
    }
    const from = minuteOf(this.#now);
    this.#now += passed;
    const to = minuteOf(this.#now);
    for (const track of this.#tracks.values()) {
      track.provenAt = undefined;
      for (let minute = Math.max(from + 1, to - PULSE_MINUTES); minute <= to; minute += 1)
        track.letters.set(minute, 's');
    }
  }

  #sample(): void {
    const minute = minuteOf(this.#now);
    const accounts = this.#parts.accounts();
    const present = new Set(accounts.map(({ accountId }) => accountId));
    for (const accountId of this.#tracks.keys()) if (!present.has(accountId)) this.#tracks.delete(accountId);
    for (const account of accounts) {
      const track = this.#trackOf(account);
      track.letters.set(minute, this.#letter(track, account, track.letters.get(minute)));
      for (const old of track.letters.keys()) if (old <= minute - PULSE_MINUTES) track.letters.delete(old);
    }
  }

  #letter(track: Track, account: AccountFacts, soFar: Letter | undefined): Letter {
    const { lastRoundTripAt, state } = account;
    const completed = lastRoundTripAt !== undefined && lastRoundTripAt !== track.seen;
    const unprovenFor = track.provenAt === undefined ? undefined : this.#now - track.provenAt;
    if (completed) {
      const late = unprovenFor !== undefined && unprovenFor > track.proofMs;
      if (unprovenFor !== undefined && unprovenFor <= PROOF_MAX_MS) track.proofMs = learnt(track.proofMs, unprovenFor);
      track.seen = lastRoundTripAt;
      track.provenAt = this.#now;
      track.provenIn = minuteOf(this.#now);
      return late || soFar === 'l' ? 'l' : 'a';
    }
    // What the minute already has to show stays, and nobody is late right after a sleep.
    if (soFar !== undefined && (soFar === 's' || track.provenIn === minuteOf(this.#now))) return soFar;
    const proven = state.status === 'connected' && unprovenFor !== undefined && unprovenFor <= track.proofMs;
    return proven ? 'a' : 'n';
  }

  #trackOf({ accountId }: AccountFacts): Track {
    const known = this.#tracks.get(accountId);
    if (known !== undefined) return known;
    const track: Track = {
      letters: new Map(),
      seen: undefined,
      provenAt: undefined,
      provenIn: undefined,
      proofMs: PROOF_MIN_MS,
    };
    this.#tracks.set(accountId, track);
    return track;
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

function learnt(proofMs: number, gapMs: number): number {
  const wanted = Math.max(gapMs * PROOF_FACTOR, proofMs - gapMs * PROOF_DECAY, PROOF_MIN_MS);
  return Math.min(wanted, PROOF_MAX_MS);
}
