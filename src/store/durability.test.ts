import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, BUNDLE_ENV } from '../../test/support/bundle.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { openStore, prepared } from './index.js';

const KILLS = 10;

let folder: string;
let program: string;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'durable-'));
  program = await bundle('test/support/programs/store-writer.ts', path.join(folder, 'writer.js'));
});

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Lets the writer run until it acknowledged `until` rows, kills it there and then, and gives what it had acknowledged. */
async function writeAndKill(dataDir: string, first: number, until: number): Promise<number[]> {
  const child = spawn(process.execPath, [program, dataDir, String(first)], {
    env: { ...process.env, ...BUNDLE_ENV },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  const acknowledged: number[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => {
    acknowledged.push(Number(line));
    if (acknowledged.length === until) child.kill('SIGKILL');
  });
  await Promise.all([once(child, 'exit'), once(lines, 'close')]);
  return acknowledged;
}

describe('a process killed while it writes', () => {
  it(`has every row it acknowledged, ${KILLS} times out of ${KILLS}`, { timeout: 60_000 }, async () => {
    const dataDir = path.join(folder, 'data');
    const acknowledged: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      // A different place in the writer's rhythm each time: in a group, between two, early and late.
      acknowledged.push(...(await writeAndKill(dataDir, (kill + 1) * 1_000_000, 1 + kill * 37)));
    }
    const store = await openStore({ dataDir, clock: new ManualClock(), log: quietLog });
    const kept = new Set(
      prepared<{ seen_at: number }>(store.sql, 'SELECT seen_at FROM seen')
        .all()
        .map((row) => row.seen_at),
    );
    await store.close();
    expect(store.damaged).toBeUndefined();
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS);
    expect(acknowledged.filter((n) => !kept.has(n))).toEqual([]);
  });
});
