import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { openStore, prepared, StoreError, type Sql, type Store } from './index.js';

/**
 * The rules of database.test.ts about disks that say no, on file systems that really do. They take a right that only root has;
 * without it the same errors are provoked inside SQLite there.
 */

let folder: string;
let mountPoint: string;
const open: Store[] = [];

function mount(...options: string[]): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', mountPoint]).status === 0;
}

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const probe = fs.mkdtempSync(path.join(os.tmpdir(), 'mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', probe]).status === 0;
  if (mounted) spawnSync('umount', [probe]);
  fs.rmdirSync(probe);
  return mounted;
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'disk-'));
  mountPoint = path.join(folder, 'mount');
  fs.mkdirSync(mountPoint);
});

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  spawnSync('umount', ['-l', mountPoint]);
  fs.rmSync(folder, { recursive: true, force: true });
});

async function openThere(): Promise<Store> {
  const store = await openStore({ dataDir: path.join(mountPoint, 'data'), clock: new ManualClock(), log: quietLog });
  open.push(store);
  return store;
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof StoreError ? error.code : error;
}

function insert(key: number): (sql: Sql) => void {
  const text = String(key).padStart(1000, '0');
  return (sql) =>
    void prepared(sql, 'INSERT INTO seen (account_id, dedup_key, seen_at) VALUES (?, ?, ?)').run('a', text, 1);
}

const count = (store: Store): unknown => prepared(store.sql, 'SELECT count(*) AS n FROM seen').get();

describe.runIf(canMount())('a disk', { timeout: 30_000 }, () => {
  it('that fills up keeps what was acknowledged, refuses the rest as disk_full, and works on once there is room', async () => {
    expect(mount('size=2m')).toBe(true);
    const store = await openThere();
    const ballast = path.join(mountPoint, 'ballast');
    fs.writeFileSync(ballast, Buffer.alloc(500_000));
    let kept = 0;
    let refused: unknown;
    while (refused === undefined) {
      refused = await codeOf(store.write(insert(kept)));
      if (refused === undefined) kept += 1;
    }
    expect(refused).toBe('disk_full');
    expect(count(store)).toEqual({ n: kept });
    fs.rmSync(ballast);
    await store.write(insert(kept));
    await store.close();
    expect(count(await openThere())).toEqual({ n: kept + 1 });
  });

  it.each(['8k', '64k'])('too full (%s) to begin on is said to be full', async (size) => {
    expect(mount(`size=${size}`)).toBe(true);
    expect(await codeOf(openThere())).toBe('disk_full');
  });

  it.each(['with', 'without'])('that may only be read is said to be so, %s a database on it', async (how) => {
    const dataDir = path.join(folder, 'prepared');
    if (how === 'with') await (await openStore({ dataDir, clock: new ManualClock(), log: quietLog })).close();
    expect(mount('size=4m')).toBe(true);
    if (how === 'with') fs.cpSync(dataDir, path.join(mountPoint, 'data'), { recursive: true });
    expect(spawnSync('mount', ['-o', 'remount,ro', mountPoint]).status).toBe(0);
    expect(await codeOf(openThere())).toBe('read_only');
  });
});
