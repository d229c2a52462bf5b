import Database from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../test/support/manual-clock.js';
import { GroupCommit } from './group-commit.js';
import { forgetStatements, prepared } from './statements.js';
import { SOON_MS, type Sql, type StoreError } from './store.js';

let real: Database.Database;
let sql: Sql;
/** Steps of SQLite's that fail, each the given number of times after as many that work. */
let broken: Map<string, { after: number; times: number }>;
let outcomes: (StoreError | undefined)[];
let clock: ManualClock;
let group: GroupCommit;

/** A connection on which single statements fail as they do on a disk that goes away in the middle. */
function failing(database: Database.Database): Sql {
  return new Proxy(database, {
    get(target, name) {
      if (name !== 'prepare') {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      }
      return (text: string) => {
        const statement = target.prepare(text);
        const failIfBroken = (): void => {
          const fault = broken.get(text);
          if (fault && fault.after-- <= 0 && fault.times-- > 0) {
            throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' });
          }
        };
        return {
          run: (...values: unknown[]) => {
            failIfBroken();
            return statement.run(...values);
          },
          get: (...values: unknown[]) => {
            failIfBroken();
            return statement.get(...values);
          },
        };
      };
    },
  });
}

beforeEach(() => {
  real = new Database(':memory:');
  real.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)');
  sql = failing(real);
  broken = new Map();
  outcomes = [];
  clock = new ManualClock();
  group = new GroupCommit(sql, clock, (failure) => outcomes.push(failure));
});
afterEach(() => {
  forgetStatements(sql);
  real.close();
});

const insert = (n: number) => (on: Sql) => {
  prepared(on, 'INSERT INTO t (n) VALUES (?)').run(n);
  return n;
};
const refuse = (): never => {
  throw new Error('own');
};
const kept = (): unknown[] => real.prepare('SELECT n FROM t ORDER BY n').pluck().all();

describe('given a step between the functions of a group fails', () => {
  it.each([
    ['BEGIN IMMEDIATE', 0, [insert(1), insert(2), insert(3)]],
    ['SAVEPOINT one', 1, [insert(1), insert(2), insert(3)]],
    ['RELEASE one', 1, [insert(1), insert(2), insert(3)]],
    ['ROLLBACK TO one', 0, [insert(1), refuse, insert(3)]],
    ['COMMIT', 0, [insert(1), insert(2), insert(3)]],
  ])('%s: then every writer is told, and nothing of the group is kept', async (step, after, fns) => {
    broken.set(step, { after, times: 1 });
    const results = Promise.allSettled(fns.map((fn) => group.add<number>(fn)));
    await group.drained();
    const failed = { status: 'rejected', reason: expect.objectContaining({ name: 'StoreError', code: 'failed' }) };
    expect(await results).toEqual([failed, failed, failed]);
    expect(kept()).toEqual([]);
    expect(outcomes).toMatchObject([{ code: 'failed' }]);
  });

  it('then the next group is written as if nothing had happened', async () => {
    broken.set('COMMIT', { after: 0, times: 1 });
    await expect(group.add(insert(1))).rejects.toMatchObject({ code: 'failed' });
    expect(await group.add(insert(2))).toBe(2);
    expect(kept()).toEqual([2]);
  });
});

it.each([
  ['the first', 0, [2, 3]],
  ['one in the middle', 1, [1, 3]],
  ['the last', 2, [1, 2]],
])('given %s function throws, then its writer has its own error and the others are on disk', async (_, at, left) => {
  // Undone with what it wrote before it threw.
  const fails = (sql: Sql): never => {
    insert(9)(sql);
    return refuse();
  };
  const fns = [insert(1), insert(2), insert(3)].map((fn, index) => (index === at ? fails : fn));
  const results = await Promise.allSettled(fns.map((fn) => group.add<number>(fn)));
  expect(results.map(({ status }) => status === 'rejected')).toEqual([0, 1, 2].map((index) => index === at));
  expect(results[at]).toMatchObject({ reason: { message: 'own' } });
  expect(kept()).toEqual(left);
});

it('given every function of a group throws, then nothing is on disk and the next is written', async () => {
  await Promise.allSettled([group.add(refuse), group.add(refuse)]);
  expect(kept()).toEqual([]);
  expect(await group.add(insert(1))).toBe(1);
  expect(kept()).toEqual([1]);
});

describe('a write that need not be on disk now', () => {
  it('waits for the next one and goes with it, after it', async () => {
    const soon = group.add((on) => prepared(on, 'SELECT n FROM t').get(), 'soon');
    await settle();
    expect(outcomes).toEqual([]);
    await group.add(insert(1));
    expect(await soon).toEqual({ n: 1 });
    expect(outcomes).toEqual([undefined]);
  });

  it('goes alone when none comes in time, with all that wait like it', async () => {
    const both = Promise.all([group.add(insert(1), 'soon'), group.add(insert(2), 'soon')]);
    await clock.advance(SOON_MS - 1);
    expect(kept()).toEqual([]);
    await clock.advance(1);
    expect(await both).toEqual([1, 2]);
    expect(outcomes).toEqual([undefined]);
  });

  it('goes at once when everything queued is waited for', async () => {
    const first = group.add(insert(1), 'soon');
    await group.drained();
    expect(kept()).toEqual([1]);
    expect(await first).toBe(1);
  });

  it('is told when the disk refuses the group that it went with', async () => {
    broken.set('COMMIT', { after: 0, times: 1 });
    const results = await Promise.allSettled([group.add(insert(1), 'soon'), group.add(insert(2))]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
