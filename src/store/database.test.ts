import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { recordingLog, type LogLine } from '../../test/support/recording-log.js';
import { DATABASE_FILE, GROUPS_AT_MOST, openStore } from './database.js';
import { MIGRATIONS } from './migrations.js';
import { prepared } from './statements.js';
import { StoreError, type Sql, type Store } from './store.js';

let dataDir: string;
let lines: LogLine[];
const open: Store[] = [];

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'store-'));
  lines = [];
});

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

async function openHere(dir = dataDir): Promise<Store> {
  const store = await openStore({ dataDir: dir, clock: new ManualClock(), log: recordingLog(lines) });
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

const file = (suffix = ''): string => path.join(dataDir, DATABASE_FILE + suffix);
const names = (): string[] => fs.readdirSync(dataDir).sort();

function addSeen(key: string): (sql: Sql) => void {
  return (sql) =>
    void prepared(sql, 'INSERT INTO seen (account_id, dedup_key, seen_at) VALUES (?, ?, ?)').run('a', key, 1);
}

function seen(store: Store): string[] {
  return prepared<{ dedup_key: string }>(store.sql, 'SELECT dedup_key FROM seen ORDER BY dedup_key')
    .all()
    .map((row) => row.dedup_key);
}

describe('opening a database', { timeout: 30_000 }, () => {
  it('makes directory and file readable by their owner only', async () => {
    const dir = path.join(dataDir, 'new', 'nested');
    const store = await openHere(dir);
    await store.write(addSeen('one'));
    expect(fs.statSync(dir).mode & 0o777).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm']) {
      expect(fs.statSync(path.join(dir, DATABASE_FILE + suffix)).mode & 0o777).toBe(0o600);
    }
  });

  it('sets the pragmas durability rests on', async () => {
    const { sql } = await openHere();
    expect(prepared(sql, 'PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(prepared(sql, 'PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    expect(prepared(sql, 'PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1 });
    expect(prepared(sql, 'PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
  });

  it('finds what was written before, and leaves one self-contained file when closed', async () => {
    const first = await openHere();
    await first.write(addSeen('kept'));
    await first.close();
    expect(names()).toEqual(['data-dir-id', DATABASE_FILE]);
    const second = await openHere();
    expect(seen(second)).toEqual(['kept']);
    expect(second.damaged).toBeUndefined();
  });

  it('refuses a database of a newer version and leaves its bytes as they are', async () => {
    await (await openHere()).close();
    const newer = new Database(file());
    newer.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    newer.close();
    const before = fs.readFileSync(file());
    expect(await codeOf(openHere())).toBe('newer_version');
    expect(fs.readFileSync(file()).equals(before)).toBe(true);
    expect(names()).toEqual(['data-dir-id', DATABASE_FILE]);
  });
});

describe('a damaged database', { timeout: 30_000 }, () => {
  async function written(): Promise<Buffer> {
    const store = await openHere();
    for (let i = 0; i < 300; i += 1) void store.write(addSeen(`key-${String(i).padStart(300, '0')}`));
    await store.close();
    return fs.readFileSync(file());
  }

  const damages: [string, (whole: Buffer) => Buffer][] = [
    ['garbage', (whole) => Buffer.alloc(whole.length, 'not a database ')],
    ['a broken header', (whole) => Buffer.concat([Buffer.alloc(100), whole.subarray(100)])],
    ['half a file', (whole) => whole.subarray(0, whole.length / 2)],
    ['pages of zeros', (whole) => Buffer.concat([whole.subarray(0, 4096), Buffer.alloc(whole.length - 4096)])],
    ['an empty file', () => Buffer.alloc(0)],
    ['a few bytes', () => Buffer.from('SQLite')],
  ];

  it.each(damages)('given %s, it is set aside whole, told, and replaced by an empty one', async (_name, damage) => {
    const bytes = damage(await written());
    fs.writeFileSync(file(), bytes);

    const store = await openHere();

    const aside = file('.damaged-20260115T120000Z');
    expect(store.damaged).toEqual({ setAsideAs: aside });
    expect(fs.readFileSync(aside).equals(bytes)).toBe(true);
    expect(lines.filter((line) => line.level === 'error')).toEqual([
      expect.objectContaining({ code: 'database_damaged', set_aside_as: path.basename(aside) }),
    ]);
    expect(seen(store)).toEqual([]);
    await store.write(addSeen('new'));
    await store.close();
    const again = await openHere();
    expect(seen(again)).toEqual(['new']);
    expect(again.damaged).toBeUndefined();
  });

  it('takes its write-ahead log along, and never overwrites one set aside before', async () => {
    const whole = await written();
    fs.writeFileSync(file('.damaged-20260115T120000Z'), 'earlier');
    fs.writeFileSync(file(), Buffer.alloc(whole.length, 'not a database '));
    fs.writeFileSync(file('-wal'), 'its log');
    const store = await openHere();
    expect(store.damaged?.setAsideAs).toBe(file('.damaged-20260115T120000Z-2'));
    expect(fs.readFileSync(file('.damaged-20260115T120000Z'), 'utf8')).toBe('earlier');
  });

  it('given an empty file with a log beside it, keeps the log', async () => {
    fs.writeFileSync(file(), '');
    fs.writeFileSync(file('-wal'), 'what was not yet in the file');
    const store = await openHere();
    expect(fs.readFileSync(`${store.damaged?.setAsideAs ?? ''}-wal`, 'utf8')).toBe('what was not yet in the file');
  });

  it('takes an empty file of a first start that was cut short for what it is', async () => {
    fs.writeFileSync(file(), '');
    const store = await openHere();
    expect(store.damaged).toBeUndefined();
    expect(seen(store)).toEqual([]);
  });
});

describe('writing', { timeout: 30_000 }, () => {
  it('runs functions in order, each seeing those before it, and resolves with their results', async () => {
    const store = await openHere();
    const count = (sql: Sql): unknown => prepared(sql, 'SELECT count(*) AS n FROM seen').get();
    const results = await Promise.all([
      store.write(addSeen('1')),
      store.write(count),
      store.write(addSeen('2')),
      store.write(count),
    ]);
    expect(results).toEqual([undefined, { n: 1 }, undefined, { n: 2 }]);
  });

  it('undoes only the writes of a function that throws, and rejects with its error', async () => {
    const store = await openHere();
    const fault = new Error('mine');
    const outcomes = await Promise.allSettled([
      store.write(addSeen('before')),
      store.write((sql) => {
        addSeen('undone')(sql);
        throw fault;
      }),
      store.write(addSeen('before')),
      store.write(addSeen('after')),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: fault });
    expect(outcomes[2]).toMatchObject({ reason: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } });
    expect(seen(store)).toEqual(['after', 'before']);
  });

  it('refuses a function that is not synchronous, and keeps nothing of it', async () => {
    const store = await openHere();
    const asynchronous = store.write(async (sql) => {
      addSeen('early')(sql);
      await Promise.resolve();
    });
    await expect(asynchronous).rejects.toThrow(TypeError);
    expect(seen(store)).toEqual([]);
  });

  it('writes queued by a running function go into a later group, and flush waits for them', async () => {
    const store = await openHere();
    let inner: Promise<void> | undefined;
    void store.write((sql) => {
      inner = store.write(addSeen('inner'));
      addSeen('outer')(sql);
    });
    await store.flush();
    await inner;
    expect(seen(store)).toEqual(['inner', 'outer']);
  });

  it('commits a thousand concurrent writes as one transaction', async () => {
    const store = await openHere();
    const frames = (): number => fs.statSync(file('-wal')).size;
    await store.write(addSeen('x'));
    const one = frames();
    await Promise.all(Array.from({ length: 1000 }, (_, i) => store.write(addSeen(`k${i}`))));
    // Had each been a transaction of its own, each would have added two pages of 4 KiB or more to the log.
    expect(frames() - one).toBeLessThan(100 * 4096);
    expect(seen(store)).toHaveLength(1001);
  });

  it('finishes what is queued when it closes, and refuses what comes later', async () => {
    const store = await openHere();
    const queued = store.write(addSeen('last'));
    const closed = store.close();
    expect(await codeOf(store.write(addSeen('too late')))).toBe('closed');
    await queued;
    await closed;
    expect(seen(await openHere())).toEqual(['last']);
  });
});

describe('a disk that says no', { timeout: 30_000 }, () => {
  it('given no room, rejects the whole group as disk_full, keeps nothing of it, and goes on once there is room', async () => {
    const store = await openHere();
    await store.write(addSeen('kept'));
    const pages = prepared<{ page_count: number }>(store.sql, 'PRAGMA page_count').get()?.page_count ?? 0;
    store.sql.exec(`PRAGMA max_page_count = ${pages}`);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => codeOf(store.write(addSeen(String(i).padStart(2000, '0'))))),
    );
    expect(new Set(outcomes)).toEqual(new Set(['disk_full']));
    expect(seen(store)).toEqual(['kept']);

    store.sql.exec('PRAGMA max_page_count = 100000');
    await store.write(addSeen('resumed'));
    expect(seen(store)).toEqual(['kept', 'resumed']);
    expect(lines.map((line) => [line.level, line['code']])).toEqual([
      ['error', 'disk_full'],
      ['info', 'store_recovered'],
    ]);
  });

  it('given a function that hides the disk error, still rejects it: its writes are gone', async () => {
    const store = await openHere();
    const pages = prepared<{ page_count: number }>(store.sql, 'PRAGMA page_count').get()?.page_count ?? 0;
    store.sql.exec(`PRAGMA max_page_count = ${pages}`);
    const hidden = store.write((sql) => {
      for (let i = 0; i < 50; i += 1) {
        try {
          addSeen(String(i).padStart(2000, '0'))(sql);
        } catch {
          return;
        }
      }
    });
    expect(await codeOf(hidden)).toBe('failed');
    expect(seen(store)).toEqual([]);
  });

  it('given a database that may not be written, rejects as read_only', async () => {
    const store = await openHere();
    store.sql.exec('PRAGMA query_only = 1');
    expect(await codeOf(store.write(addSeen('x')))).toBe('read_only');
    store.sql.exec('PRAGMA query_only = 0');
    await store.write(addSeen('y'));
    expect(seen(store)).toEqual(['y']);
  });
});

describe('the write-ahead log', { timeout: 30_000 }, () => {
  it('is folded into the database again and again, so that it stays small however much is written', async () => {
    const store = await openHere();
    const sizes: number[] = [];
    for (let index = 0; index < 2 * GROUPS_AT_MOST; index += 1) {
      await store.write(addSeen(String(index)));
      sizes.push(fs.statSync(`${file()}-wal`).size);
    }
    // Without, each of the writes would have made it longer.
    expect(Math.max(...sizes)).toBe(sizes[GROUPS_AT_MOST]);
    expect(seen(store)).toHaveLength(2 * GROUPS_AT_MOST);
  });

  it('may be read by another program meanwhile', async () => {
    const store = await openHere();
    const reader = new Database(file(), { readonly: true });
    reader.exec('BEGIN');
    const count = (): unknown => reader.prepare('SELECT count(*) AS n FROM seen').get();
    expect(count()).toMatchObject({ n: 0 });
    for (let index = 0; index < 300; index += 1) await store.write(addSeen(String(index)));
    expect(count()).toMatchObject({ n: 0 });
    reader.exec('COMMIT');
    expect(count()).toMatchObject({ n: 300 });
    reader.close();
    expect(store.failing).toBeUndefined();
  });
});

describe('migrations', { timeout: 30_000 }, () => {
  it('bring every earlier version to the newest with its rows kept', async () => {
    const old = new Database(file());
    old.exec(MIGRATIONS[0] ?? '');
    old.exec("PRAGMA user_version = 1; INSERT INTO connector VALUES ('im.x', 'conn_1', 0, 5)");
    old.close();
    const store = await openHere();
    expect(prepared(store.sql, 'SELECT connector_id FROM connector').all()).toEqual([{ connector_id: 'conn_1' }]);
    expect(prepared(store.sql, 'PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
  });

  it('keep what waits and what was sent, each in the order in which it came', async () => {
    const old = new Database(file());
    old.exec(MIGRATIONS.slice(0, 6).join(''));
    old.exec(`PRAGMA user_version = 6;
      INSERT INTO pending (seq, account_id, message_id, merge_key, body, hold_until, received_at, expires_at, attempts, last_error)
        VALUES (7, 'b', 'm1', NULL, '{}', 0, 1, 9, 2, 'ack_timeout'), (8, 'a', 'm2', 'album', '{}', 5, 2, 9, 0, NULL);
      INSERT INTO ledger (channel_id, entry_id, content_hash, state, parts_sent, in_doubt, detail, created_at, updated_at)
        VALUES ('z', 'm:1', 'h1', 'completed', 1, 0, '{}', 10, 11), ('a', 'm:2', 'h2', 'sending', 0, 1, '{"a":1}', 20, 21)`);
    old.close();
    const store = await openHere();
    const same = { body: '{}', expires_at: 9 };
    const first = { seq: 7, account_id: 'b', message_id: 'm1', merge_key: null, hold_until: 0, received_at: 1 };
    const second = { seq: 8, account_id: 'a', message_id: 'm2', merge_key: 'album', hold_until: 5, received_at: 2 };
    expect(prepared(store.sql, 'SELECT * FROM pending ORDER BY seq').all()).toEqual([
      { ...same, ...first, attempts: 2, last_error: 'ack_timeout' },
      { ...same, ...second, attempts: 0, last_error: null },
    ]);
    expect(prepared(store.sql, 'SELECT * FROM ledger ORDER BY seq').all()).toEqual([
      expect.objectContaining({
        channel_id: 'z',
        entry_id: 'm:1',
        content_hash: 'h1',
        state: 'completed',
        parts_sent: 1,
      }),
      expect.objectContaining({ channel_id: 'a', entry_id: 'm:2', in_doubt: 1, detail: '{"a":1}', updated_at: 21 }),
    ]);
  });
});

describe.runIf(process.platform !== 'win32')('a data directory that is removed while it is used', () => {
  it('is noticed, and nothing is taken into a file that nobody can open again', async () => {
    const store = await openHere();
    await store.write(addSeen('one'));
    fs.rmSync(dataDir, { recursive: true });
    expect(store.failing).toBe('gone');
    expect(await codeOf(store.write(addSeen('two')))).toBe('gone');
    expect(lines.filter(({ code }) => code === 'gone')).toHaveLength(1);
  });

  it('is another one when a new one took its place', async () => {
    const store = await openHere();
    fs.renameSync(dataDir, `${dataDir}-elsewhere`);
    try {
      await openHere();
      expect(await codeOf(store.write(addSeen('two')))).toBe('gone');
    } finally {
      fs.rmSync(`${dataDir}-elsewhere`, { recursive: true, force: true });
    }
  });
});
