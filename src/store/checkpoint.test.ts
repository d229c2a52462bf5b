import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../test/support/manual-clock.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { CHECKPOINT_QUIET_MS, DATABASE_FILE, GROUPS_AT_MOST, GROUPS_PER_CHECKPOINT, openStore } from './database.js';
import { prepared } from './statements.js';
import type { Store } from './store.js';

let dataDir: string;
let clock: ManualClock;
let store: Store;
let written = 0;

beforeEach(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'checkpoint-'));
  clock = new ManualClock();
  store = await openStore({ dataDir, clock, log: quietLog });
});

afterEach(async () => {
  await store.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

/** Each is a group of its own. */
async function write(groups: number): Promise<void> {
  for (let group = 0; group < groups; group += 1) {
    written += 1;
    await store.write((sql) =>
      prepared(sql, 'INSERT INTO seen (account_id, dedup_key, seen_at) VALUES (?, ?, ?)').exec('a', `k${written}`, 1),
    );
  }
}

/** The database without its log: it changes only when the log is folded in. */
function database(): string {
  return createHash('sha256')
    .update(fs.readFileSync(path.join(dataDir, DATABASE_FILE)))
    .digest('hex');
}

describe('given enough groups for the log to be folded in', () => {
  it('then that happens once nothing was written for a moment', async () => {
    const before = database();
    await write(GROUPS_PER_CHECKPOINT - 1);
    await clock.advance(CHECKPOINT_QUIET_MS);
    expect(database()).toBe(before);
    await write(1);
    await clock.advance(CHECKPOINT_QUIET_MS - 1);
    expect(database()).toBe(before);
    await clock.advance(1);
    expect(database()).not.toBe(before);
  });

  it('when writing goes on, then it waits, and only so long', async () => {
    const before = database();
    await write(GROUPS_PER_CHECKPOINT);
    for (let groups = GROUPS_PER_CHECKPOINT + 1; groups < GROUPS_AT_MOST; groups += 1) {
      await write(1);
      await clock.advance(CHECKPOINT_QUIET_MS - 1);
    }
    expect(database()).toBe(before);
    await write(1);
    await settle();
    expect(database()).not.toBe(before);
  });

  it('when it is done, then the next groups are counted anew', async () => {
    await write(GROUPS_PER_CHECKPOINT);
    await clock.advance(CHECKPOINT_QUIET_MS);
    const before = database();
    await write(GROUPS_PER_CHECKPOINT - 1);
    await clock.advance(1_000);
    expect(database()).toBe(before);
    await write(1);
    await clock.advance(CHECKPOINT_QUIET_MS);
    expect(database()).not.toBe(before);
  });
});
