import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { recordingLog, type LogLine } from '../../test/support/recording-log.js';
import { openStore, prepared, type Store } from '../store/index.js';
import { MAX_SWEEP_INTERVAL_MS, type FileStoreOptions } from './disk-file-store.js';
import { createFileStore, FileStoreError, type FileSource, type FileStore } from './index.js';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100, 7)]);
const SOURCE: FileSource = { cardId: 'im.local', channelId: 'cch_1' };
const HOUR_MS = 3_600_000;

let dataDir: string;
let clock: ManualClock;
let store: Store;
let lines: LogLine[];
const open: FileStore[] = [];

beforeEach(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'files-'));
  clock = new ManualClock();
  lines = [];
  store = await openStore({ dataDir, clock, log: recordingLog(lines) });
});

afterEach(async () => {
  for (const files of open.splice(0)) await files.close();
  await store.close();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

function openFiles(options: Partial<FileStoreOptions> = {}): FileStore {
  const files = createFileStore({
    store,
    dataDir,
    clock,
    log: recordingLog(lines),
    options: { maxUploadBytes: 1000, ttlMs: HOUR_MS, maxTotalBytes: 10_000, ...options },
  });
  open.push(files);
  return files;
}

/** Every file below `files/`, relative to it. */
function onDisk(): string[] {
  const root = path.join(dataDir, 'files');
  if (!fs.existsSync(root)) return [];
  return fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => fs.statSync(path.join(root, name), { throwIfNoEntry: false })?.isFile());
}

function rows(): number {
  return prepared<{ n: number }>(store.sql, 'SELECT count(*) AS n FROM file').get()?.n ?? -1;
}

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof FileStoreError ? error.code : error;
}

describe('taking a file', { timeout: 30_000 }, () => {
  it('keeps its bytes, its digest and what it is, and finds it again after a restart', async () => {
    const files = openFiles();
    const pieces = [PNG.subarray(0, 3), PNG.subarray(3, 60), PNG.subarray(60)];
    const stored = await files.put({ ...SOURCE, filename: 'a.png', mimeType: 'image/jpeg' }, Readable.from(pieces));

    expect(stored).toMatchObject({
      cardId: 'im.local',
      channelId: 'cch_1',
      accountId: undefined,
      fileType: 'image',
      mimeType: 'image/png',
      filename: 'a.png',
      byteSize: PNG.length,
      sha256: createHash('sha256').update(PNG).digest('hex'),
      createdAt: clock.now(),
      expiresAt: clock.now() + HOUR_MS,
    });
    expect(fs.readFileSync(stored.path).equals(PNG)).toBe(true);
    await files.close();
    const again = openFiles();
    await again.sweep();
    expect(again.get(stored.fileRef)).toEqual(stored);
  });

  it('gives it a name on disk that says nothing of sender, name or ref, and only its owner may read it', async () => {
    const stored = await openFiles().put({ ...SOURCE, filename: '../../evil/\u0000name.png' }, Readable.from([PNG]));
    const [name = '', ...others] = onDisk();
    expect(others).toEqual([]);
    expect(name).toMatch(/^[0-9a-f]{2}\/[0-9a-f]{64}$/);
    expect(name).not.toContain(stored.fileRef.slice('file_'.length));
    expect(fs.statSync(stored.path).mode & 0o777).toBe(0o600);
    expect(stored.filename).toBe('name.png');
  });

  it('refuses a file of no bytes, and leaves nothing', async () => {
    expect(await refusal(openFiles().put(SOURCE, Readable.from([])))).toBe('empty');
    expect([onDisk(), rows()]).toEqual([[], 0]);
  });

  it('accepts exactly the limit, and stops reading one byte above it', async () => {
    const files = openFiles({ maxUploadBytes: 100 });
    await files.put(SOURCE, Readable.from([Buffer.alloc(60), Buffer.alloc(40)]));
    let given = 0;
    const endless = new Readable({
      highWaterMark: 1,
      read() {
        given += 1;
        this.push(Buffer.alloc(51));
      },
    });
    expect(await refusal(files.put(SOURCE, endless))).toBe('too_large');
    expect(given).toBeLessThan(10);
    expect(endless.destroyed).toBe(true);
    expect([onDisk().length, rows()]).toEqual([1, 1]);
  });

  it('counts what is on its way in towards the total', async () => {
    const files = openFiles({ maxTotalBytes: 1000, maxUploadBytes: 900 });
    const slow = new PassThrough();
    const first = files.put(SOURCE, slow);
    slow.write(Buffer.alloc(600));
    await filled(600);

    expect(await refusal(files.put(SOURCE, Readable.from([Buffer.alloc(500)])))).toBe('quota');
    slow.end();
    await first;
    await files.put(SOURCE, Readable.from([Buffer.alloc(400)]));
    expect(await refusal(files.put(SOURCE, Readable.from([Buffer.alloc(1)])))).toBe('quota');
  });

  it('has room again once files are gone, and remembers what is stored over a restart', async () => {
    const files = openFiles({ maxTotalBytes: 500 });
    await files.put(SOURCE, Readable.from([Buffer.alloc(500)]));
    await files.close();
    const again = openFiles({ maxTotalBytes: 500 });
    expect(await refusal(again.put(SOURCE, Readable.from([Buffer.alloc(1)])))).toBe('quota');
    await again.deleteFor({ channelId: 'cch_1' });
    await again.put(SOURCE, Readable.from([Buffer.alloc(500)]));
  });

  it('takes the room of files whose time is over, without waiting for the sweep that removes them', async () => {
    const files = openFiles({ maxTotalBytes: 1000, maxUploadBytes: 500 });
    for (let i = 0; i < 2; i += 1) await files.put(SOURCE, Readable.from([Buffer.alloc(500)]));
    clock.skip(HOUR_MS - 1);
    expect(await refusal(files.put(SOURCE, Readable.from([Buffer.alloc(1)])))).toBe('quota');
    clock.skip(1);
    await files.put(SOURCE, Readable.from([Buffer.alloc(500)]));
    expect([onDisk().length, rows()]).toEqual([1, 1]);
  });

  it('gives the room of a refused or broken file back', async () => {
    const files = openFiles({ maxTotalBytes: 500, maxUploadBytes: 400 });
    for (let i = 0; i < 5; i += 1) {
      expect(await refusal(files.put(SOURCE, Readable.from([Buffer.alloc(300), Buffer.alloc(200)])))).toBe('too_large');
    }
    await files.put(SOURCE, Readable.from([Buffer.alloc(400)]));
  });

  it('given a store that has no room, says quota and removes the file', async () => {
    const files = openFiles();
    // Migrations leave free pages behind.
    store.sql.exec('VACUUM');
    const pages = prepared<{ page_count: number }>(store.sql, 'PRAGMA page_count').get()?.page_count ?? 0;
    store.sql.exec(`PRAGMA max_page_count = ${pages}`);
    let outcome: unknown;
    // The last page has room for some rows yet.
    for (let i = 0; i < 50 && outcome === undefined; i += 1) {
      outcome = await refusal(files.put(SOURCE, Readable.from([Buffer.alloc(1)])));
    }
    expect(outcome).toBe('quota');
    expect(onDisk()).toHaveLength(rows());
  });
});

/** Lets the event loop turn until `condition` holds: disk work takes real time, and only that. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** The bytes of a file coming in have reached the disk. */
async function filled(bytes: number): Promise<void> {
  const size = (name: string): number =>
    fs.statSync(path.join(dataDir, 'files', name), { throwIfNoEntry: false })?.size ?? 0;
  await until(() => onDisk().reduce((sum, name) => sum + size(name), 0) >= bytes);
}

describe('a transfer that is broken off', { timeout: 30_000 }, () => {
  it('by its signal, leaves nothing', async () => {
    const abort = new AbortController();
    const content = new PassThrough();
    const put = openFiles().put(SOURCE, content, abort.signal);
    content.write(PNG);
    await filled(PNG.length);
    abort.abort();
    expect(await refusal(put)).toBe('aborted');
    expect(content.destroyed).toBe(true);
    expect([onDisk(), rows()]).toEqual([[], 0]);
  });

  it('by a signal given before it began, reads nothing', async () => {
    const content = new PassThrough();
    expect(await refusal(openFiles().put(SOURCE, content, AbortSignal.abort()))).toBe('aborted');
    expect(content.destroyed).toBe(true);
  });

  it('by its sender, leaves nothing', async () => {
    const content = new PassThrough();
    const put = openFiles().put(SOURCE, content);
    content.write(PNG);
    await filled(PNG.length);
    content.destroy();
    expect(await refusal(put)).toBe('aborted');
    expect([onDisk(), rows()]).toEqual([[], 0]);
  });

  it('by an error of its source, rejects with that error', async () => {
    const fault = new Error('the network went away');
    const content = new PassThrough();
    const put = openFiles().put(SOURCE, content);
    content.write(PNG);
    await filled(PNG.length);
    content.destroy(fault);
    expect(await refusal(put)).toBe(fault);
    expect([onDisk(), rows()]).toEqual([[], 0]);
  });

  it('by an error before anyone reads, does not end the process', async () => {
    const fault = new Error('at once');
    const content = new Readable({ read: () => undefined });
    const put = openFiles().put(SOURCE, content);
    content.destroy(fault);
    expect(await refusal(put)).toBe(fault);
  });

  it('by closing the store, leaves nothing', async () => {
    const files = openFiles();
    const content = new PassThrough();
    const put = files.put(SOURCE, content);
    content.write(PNG);
    await filled(PNG.length);
    const outcome = refusal(put);
    await files.close();
    expect(await outcome).toBe('aborted');
    expect(await refusal(files.put(SOURCE, Readable.from([PNG])))).toBe('aborted');
    expect([onDisk(), rows()]).toEqual([[], 0]);
  });
});

describe('the end of a file', { timeout: 30_000 }, () => {
  it('comes with its time: first it is not given out, then it is removed', async () => {
    const files = openFiles();
    const { fileRef } = await files.put(SOURCE, Readable.from([PNG]));
    clock.skip(HOUR_MS - 1);
    expect(files.get(fileRef)).toBeDefined();
    clock.skip(1);
    expect(files.get(fileRef)).toBeUndefined();
    expect(onDisk()).toHaveLength(1);
    await files.sweep();
    expect([onDisk(), rows()]).toEqual([[], 0]);
  });

  it('is looked after by itself, twice in the time a file is kept', async () => {
    const files = openFiles({ ttlMs: 60_000 });
    await until(() => clock.timers > 0);
    await files.put(SOURCE, Readable.from([PNG]));
    await clock.advance(30_000);
    await until(() => clock.timers > 0);
    expect(onDisk()).toHaveLength(1);
    await clock.advance(30_000);
    await until(() => onDisk().length === 0);
    expect(rows()).toBe(0);
  });

  it('is looked after every ten minutes however long files are kept', async () => {
    openFiles({ ttlMs: 48 * HOUR_MS });
    await until(() => clock.timers > 0);
    fs.mkdirSync(path.join(dataDir, 'files', '00'), { recursive: true });
    fs.writeFileSync(path.join(dataDir, 'files', '00', '0'.repeat(64)), 'nobody knows me');
    await clock.advance(MAX_SWEEP_INTERVAL_MS);
    await until(() => onDisk().length === 0);
  });

  it('comes with its channel or account, and with no other', async () => {
    const files = openFiles();
    const ofChannel = await files.put(SOURCE, Readable.from([PNG]));
    const ofAccount = await files.put({ cardId: 'im.local', accountId: 'acc_1' }, Readable.from([PNG]));
    const other = await files.put({ cardId: 'im.local', channelId: 'cch_2', accountId: 'acc_2' }, Readable.from([PNG]));
    await files.deleteFor({ channelId: 'cch_1' });
    await files.deleteFor({ accountId: 'acc_1' });
    expect([ofChannel, ofAccount, other].map((file) => files.get(file.fileRef) !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
    expect(onDisk()).toHaveLength(1);
  });

  it('reaches any number of files at once', async () => {
    const files = openFiles();
    await Promise.all(Array.from({ length: 250 }, () => files.put(SOURCE, Readable.from([Buffer.from('x')]))));
    await files.deleteFor({ channelId: 'cch_1' });
    expect([onDisk(), rows()]).toEqual([[], 0]);
  });
});

describe('a sweep after a crash', { timeout: 30_000 }, () => {
  it('removes half-received and unknown files, and rows without a file', async () => {
    const files = openFiles();
    const kept = await files.put(SOURCE, Readable.from([PNG]));
    const lost = await files.put(SOURCE, Readable.from([PNG]));
    fs.rmSync(lost.path);
    const root = path.join(dataDir, 'files');
    fs.writeFileSync(path.join(root, 'incoming', 'half'), 'half');
    fs.mkdirSync(path.join(root, 'ab'), { recursive: true });
    fs.writeFileSync(path.join(root, 'ab', `ab${'0'.repeat(62)}`), 'no row');

    await files.sweep();

    expect(onDisk()).toEqual([path.relative(root, kept.path)]);
    expect(files.get(kept.fileRef)).toBeDefined();
    expect(files.get(lost.fileRef)).toBeUndefined();
    expect(lines.find((line) => line.level === 'warn')).toMatchObject({ code: 'files_lost', lost: 1 });
  });

  it('lets files alone that are just coming in', async () => {
    const files = openFiles();
    const content = new PassThrough();
    const put = files.put(SOURCE, content);
    content.write(PNG);
    await filled(PNG.length);
    const sweeps = Array.from({ length: 20 }, () => files.sweep());
    content.end();
    const stored = await put;
    await Promise.all(sweeps);
    await files.sweep();
    expect(fs.readFileSync(stored.path).equals(PNG)).toBe(true);
    expect(files.get(stored.fileRef)).toEqual(stored);
  });

  it('touches nothing it did not make', async () => {
    const files = openFiles();
    const root = path.join(dataDir, 'files');
    fs.mkdirSync(path.join(root, 'zz'), { recursive: true });
    for (const name of ['README', 'zz/README', 'zz/0']) fs.writeFileSync(path.join(root, name), '');
    await files.sweep();
    expect(onDisk().sort()).toEqual(['README', 'zz/0', 'zz/README']);
  });
});
