import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundle, BUNDLE_ENV } from '../../test/support/bundle.js';
import { DataDirLockedError, lockDataDir } from './data-dir-lock.js';

let folder: string;
let program: string;
let dataDir: string;
let started: ChildProcess[] = [];

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'lock-'));
  program = await bundle('test/support/programs/lock-holder.ts', path.join(folder, 'holder.js'));
});

beforeEach(() => {
  dataDir = fs.mkdtempSync(path.join(folder, 'data-'));
});

afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started = [];
});

afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

/** A process that tries to lock `dataDir`, and what it said of it. */
async function contender(): Promise<{ child: ChildProcess; said: string }> {
  const child = fork(program, [dataDir], { env: { ...process.env, ...BUNDLE_ENV }, execArgv: [], stdio: 'inherit' });
  started.push(child);
  const [said]: unknown[] = await once(child, 'message');
  return { child, said: String(said) };
}

async function end(child: ChildProcess, how: 'kill' | 'release'): Promise<void> {
  const exit = once(child, 'exit');
  if (how === 'kill') child.kill('SIGKILL');
  else child.send('release');
  await exit;
}

describe('the lock on a data directory', { timeout: 30_000 }, () => {
  it('lets one process in and tells the next one who it is', async () => {
    const first = await contender();
    const second = await contender();
    expect([first.said, second.said]).toEqual(['locked', `held by ${first.child.pid}`]);
    await expect(lockDataDir(dataDir)).rejects.toThrow(`process ${first.child.pid}`);
  });

  it('of five that start at once lets exactly one in, and tells the four others who it is', async () => {
    const five = await Promise.all(Array.from({ length: 5 }, contender));
    const winners = five.filter(({ said }) => said === 'locked');
    expect(winners).toHaveLength(1);
    const others = five.filter(({ said }) => said !== 'locked').map(({ said }) => said);
    expect(others).toEqual(Array(4).fill(`held by ${winners[0]?.child.pid}`));
  });

  it('is free after its holder was killed, again for exactly one of five', async () => {
    const holder = await contender();
    await end(holder.child, 'kill');
    expect(fs.readFileSync(path.join(dataDir, 'lock.pid'), 'utf8').trim()).toBe(String(holder.child.pid));
    const five = await Promise.all(Array.from({ length: 5 }, contender));
    expect(five.filter(({ said }) => said === 'locked')).toHaveLength(1);
    expect(five.map(({ said }) => said)).not.toContain(`held by ${holder.child.pid}`);
  });

  it('is free when it was released, and then leaves no name behind', async () => {
    const holder = await contender();
    await end(holder.child, 'release');
    expect(fs.existsSync(path.join(dataDir, 'lock.pid'))).toBe(false);
    expect((await contender()).said).toBe('locked');
  });

  it('is not kept from anyone by a number of a process that has been given to another one', async () => {
    fs.writeFileSync(path.join(dataDir, 'lock.pid'), `${process.pid}\n`);
    expect((await contender()).said).toBe('locked');
  });

  it('holds within one process too', async () => {
    const lock = await lockDataDir(dataDir);
    const second = lockDataDir(dataDir);
    await expect(second).rejects.toBeInstanceOf(DataDirLockedError);
    await expect(second).rejects.toMatchObject({ pid: process.pid });
    await lock.release();
    await lock.release();
    await (await lockDataDir(dataDir)).release();
  });

  it('makes the directory, for its owner only, and says so when it cannot', async () => {
    const fresh = path.join(dataDir, 'a', 'b');
    const lock = await lockDataDir(fresh);
    expect(fs.statSync(fresh).mode & 0o777).toBe(0o700);
    await lock.release();
    fs.writeFileSync(path.join(dataDir, 'file'), '');
    await expect(lockDataDir(path.join(dataDir, 'file', 'x'))).rejects.toMatchObject({ name: 'StoreError' });
  });
});
