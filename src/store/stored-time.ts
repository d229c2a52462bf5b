import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Clock, Timer } from '../base/clock.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import { prepared } from './statements.js';
import type { Sql, Store } from './store.js';

/**
 * Milliseconds between two notes of the time. Only a clock that is set between the last note and an end of the machine goes unnoticed;
 * each note costs an fsync on a machine where nothing else happens.
 */
export const NOTE_INTERVAL_MS = 600_000;

/** What the machine says of itself. */
export interface Machine {
  /** How long it has been up, sleep included, milliseconds. */
  upMs(): number;
  /** Names the time it has been up, where the system does. */
  readonly boot: string | undefined;
}

/** The times of one moment. */
export interface Anchor {
  readonly steady: number;
  /** Unix ms. */
  readonly wall: number;
  /** Milliseconds. */
  readonly up: number;
  readonly boot: string | undefined;
}

/**
 * What steady time it is, by what an earlier run of the program noted last. While the machine was up, it knows how long that was; only
 * of a time when it was off its clock alone can tell, and that it can't have been shorter than it is up by now.
 */
export function steadyAfter(anchor: Anchor, now: Omit<Anchor, 'steady'>): number {
  const byClock = Math.max(now.wall - anchor.wall, 0);
  const up = now.up - anchor.up;
  // Without a name: had the machine been started since, its clock must have moved by at least the time it is up.
  const sameBoot =
    up >= 0 && (anchor.boot === undefined || now.boot === undefined ? byClock < now.up : anchor.boot === now.boot);
  return anchor.steady + Math.floor(sameBoot ? up : Math.max(byClock, now.up));
}

/** A clock whose steady time goes on where the last run of the program left it. */
export interface StoredTime {
  readonly clock: Clock;
  /** Notes the time once more. To be called while the store still takes writes. */
  close(): Promise<void>;
}

export async function openStoredTime(parts: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly machine?: Machine;
}): Promise<StoredTime> {
  const { store, clock, log, machine = thisMachine() } = parts;
  const present = (): Omit<Anchor, 'steady'> => ({ wall: clock.now(), up: machine.upMs(), boot: machine.boot });
  const anchor = readAnchor(store.sql);
  const offset = anchor === undefined ? 0 : steadyAfter(anchor, present()) - clock.steady();
  const steady = (): number => clock.steady() + offset;
  const note = (): Promise<void> =>
    store
      .write((sql) => writeAnchor(sql, { ...present(), steady: steady() }))
      // What was noted before still holds; a disk that takes nothing says so elsewhere.
      .catch((error: unknown) => log.debug({ error: describeError(error) }, 'the time was not noted'));

  let timer: Timer | undefined;
  let closed = false;
  const noteForEver = (): void => {
    timer = clock.after(NOTE_INTERVAL_MS, () => {
      void note().then(() => {
        if (!closed) noteForEver();
      });
    });
  };
  noteForEver();
  await note();
  return {
    clock: {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      steady,
      after: (ms, fn) => clock.after(ms, fn),
    },
    close: async () => {
      closed = true;
      timer?.cancel();
      await note();
    },
  };
}

/** Where Linux names the time since the machine was started. */
const BOOT_ID = '/proc/sys/kernel/random/boot_id';

function thisMachine(): Machine {
  return { upMs: () => uptime() * 1_000, boot: bootName() };
}

function bootName(): string | undefined {
  try {
    return readFileSync(BOOT_ID, 'utf8').trim();
  } catch {
    // Another system; the times then say as much as they can.
    return undefined;
  }
}

interface Columns {
  readonly steady: number;
  readonly wall: number;
  readonly up: number;
  readonly boot: string | null;
}

function readAnchor(sql: Sql): Anchor | undefined {
  const row = prepared<Columns>(sql, 'SELECT steady, wall, up, boot FROM time_anchor').get();
  return row && { ...row, boot: row.boot ?? undefined };
}

function writeAnchor(sql: Sql, { steady, wall, up, boot }: Anchor): void {
  const text = 'INSERT OR REPLACE INTO time_anchor (id, steady, wall, up, boot) VALUES (1, ?, ?, ?, ?)';
  prepared(sql, text).run(steady, wall, Math.floor(up), boot ?? null);
}
