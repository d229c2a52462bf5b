import { mkdtempSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import { Blobs } from '../../src/files/blobs.js';
import { DATABASE_FILE } from '../../src/store/index.js';
import { MIGRATIONS } from '../../src/store/migrations.js';
import { HostProcess, type Config } from '../support/host-process.js';

/** A new version starts on everything that years with an older one left behind. */

const LEDGER_ROWS = 200_000;
const PENDING_ROWS = 10_000;
/** `ledger.capacityPerChannel` as it is by itself. */
const LEDGER_CAPACITY = 10_000;
/** The database is looked into this seldom while the host is asked how it is. */
const ASKS_BETWEEN_LOOKS = 50;
/** Messages that no agent took yet, at most as many for an account as are kept. */
const ACCOUNTS = 10;
const SEEN_ROWS = 100_000;
const FILES = 40;
const FILE_BYTES = 1024 * 1024;
const HOUR_MS = 3_600_000;

/** A start takes a second without any data; a machine that runs other suites beside it needs several. Milliseconds. */
const START_MS = 15_000;
/** The host takes about 90 MiB without any data. */
const MAX_RSS_BYTES = 256 * 1024 * 1024;
/** Nothing that a clean-up does may hold up a request for longer, on a machine that is busy besides; milliseconds. */
const MAX_STALL_MS = 2_000;

const KEEPS_ALL: Config = {
  connectors: {
    telegram: { enabled: false },
    wechat: { enabled: false },
    feishu: { enabled: false },
    xmpp: { enabled: false },
  },
  ledger: { capacityPerChannel: LEDGER_ROWS },
};

let host: HostProcess | undefined;
afterEach(async () => {
  await host?.destroy();
  host = undefined;
});

/** A data directory as the earliest version would have left it after long use. */
async function oldDataDir(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'old-data-'));
  const sql = new Database(join(dataDir, DATABASE_FILE));
  sql.exec(`${MIGRATIONS[0] ?? ''}; PRAGMA user_version = 1; PRAGMA journal_mode = WAL`);
  const now = Date.now();
  const text = 'w'.repeat(300);
  const count = (n: number): string =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(n)})`;
  sql.exec(`
    BEGIN;
    INSERT INTO connector VALUES ('im.local', 'conn_00000000000000000000001', 0, ${String(now)});
    INSERT INTO account VALUES ('acc_old', 'im.local', 'local:Ada', 'Ada', 'Ada', '{}', '{"status":"connected","since":1}', 1, NULL, 1);
    INSERT INTO channel VALUES ('cch_old', 'im.local', 'acc_old', 1);
    INSERT INTO counter VALUES ('acc_old', 'delivered', 123456);
    INSERT INTO seen ${count(SEEN_ROWS)} SELECT 'acc_old', 'seen-' || i, ${String(now)} - i FROM n;
    INSERT INTO pending (account_id, message_id, body, hold_until, received_at, expires_at)
      ${count(PENDING_ROWS)} SELECT 'acc_' || (i % ${String(ACCOUNTS)}), 'message-' || i,
        json_object('message', json_object('id', 'message-' || i, 'text', '${text}', 'attachments', json_array(),
          'sender', json_object('id', 'ada'), 'conversation', json_object('id', 'chat', 'type', 'p2p')), 'files', json_array()),
        0, ${String(now)} - i, ${String(now + HOUR_MS)} FROM n;
    INSERT INTO ledger (channel_id, entry_id, content_hash, state, parts_sent, detail, created_at, updated_at)
      ${count(LEDGER_ROWS)} SELECT 'cch_old', 'm:' || i, 'hash', 'completed', 1,
        json_object('accountId', 'acc_old', 'messageIds', json_array('n' || i)), ${String(now)} - i, ${String(now)} - i FROM n;
    COMMIT`);
  const blobs = new Blobs(join(dataDir, 'files'));
  for (let i = 0; i < FILES; i += 1) {
    const ref = `file_${String(i).padStart(22, '0')}`;
    await mkdir(dirname(blobs.pathOf(ref)), { recursive: true, mode: 0o700 });
    await writeFile(blobs.pathOf(ref), Buffer.alloc(FILE_BYTES, i));
    sql.exec(`INSERT INTO file VALUES ('${ref}', 'im.local', 'cch_old', NULL, 'file', 'a.bin', 'application/octet-stream',
      ${String(FILE_BYTES)}, 'sum', ${String(now)}, ${String(now + HOUR_MS)})`);
  }
  sql.close();
  return dataDir;
}

function rowsOf(dataDir: string): Record<string, number> {
  const sql = new Database(join(dataDir, DATABASE_FILE));
  const tables = ['account', 'channel', 'seen', 'pending', 'ledger', 'file', 'counter'];
  const rows = tables.map((table) => [
    table,
    (sql.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get() as { n: number }).n,
  ]);
  sql.close();
  return Object.fromEntries(rows) as Record<string, number>;
}

/** Resident memory at its highest so far, bytes. */
function peakRss(pid: number): number {
  const [, kib = '0'] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'latin1')) ?? [];
  return Number(kib) * 1024;
}

describe.runIf(process.platform === 'linux')(
  'a database of the earliest version, grown large',
  { timeout: 180_000 },
  () => {
    it('is taken over whole, within a bounded start and bounded memory', async () => {
      const dataDir = await oldDataDir();
      const before = rowsOf(dataDir);
      const began = performance.now();
      host = await HostProcess.start({ dataDir, config: KEEPS_ALL });
      expect(performance.now() - began).toBeLessThan(START_MS);
      expect(peakRss(host.pid)).toBeLessThan(MAX_RSS_BYTES);
      const file = await host.get(`/files/refs/file_${'0'.repeat(22)}`);
      expect(file.status).toBe(200);
      await host.stop();
      expect(rowsOf(dataDir)).toEqual(before);
    });

    it('is cut down to what is kept without holding up anybody', async () => {
      const dataDir = await oldDataDir();
      // Clean-up comes every second, as with a short life of messages.
      host = await HostProcess.start({
        dataDir,
        config: { connectors: KEEPS_ALL['connectors'] ?? {}, delivery: { ttlMs: 2_000 } },
      });
      let longest = 0;
      for (let asks = 0; asks % ASKS_BETWEEN_LOOKS !== 0 || rowsOf(dataDir)['ledger'] !== LEDGER_CAPACITY; asks += 1) {
        const asked = performance.now();
        await host.get('/local/health');
        longest = Math.max(longest, performance.now() - asked);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(longest).toBeLessThan(MAX_STALL_MS);
      expect(peakRss(host.pid)).toBeLessThan(MAX_RSS_BYTES);
      await host.stop();
      expect(rowsOf(dataDir)).toMatchObject({ ledger: LEDGER_CAPACITY, pending: PENDING_ROWS, seen: SEEN_ROWS });
    });
  },
);
