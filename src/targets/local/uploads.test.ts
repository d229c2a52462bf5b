import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, settle } from '../../../test/support/manual-clock.js';
import { eventually } from '../../../test/support/deadline.js';
import { quietLog } from '../../../test/support/quiet-log.js';
import { createFileStore, type FileStore } from '../../files/index.js';
import { openStore, type Store } from '../../store/index.js';
import { MAX_WAITING_UPLOADS, UPLOAD_TTL_MS, Uploads } from './uploads.js';

const FILES_TTL_MS = 2 * UPLOAD_TTL_MS;
const MESSAGE_TTL_MS = 10 * FILES_TTL_MS;

describe('files that a person adds to a message', () => {
  let dataDir: string;
  let clock: ManualClock;
  let store: Store;
  let files: FileStore;
  let uploads: Uploads;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'uploads-'));
    clock = new ManualClock();
    await start();
  });
  afterEach(async () => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    store = await openStore({ dataDir, clock, log: quietLog });
    const options = { maxUploadBytes: 1000, ttlMs: FILES_TTL_MS, maxTotalBytes: 100_000 };
    files = createFileStore({ store, dataDir, clock, log: quietLog, options });
    uploads = new Uploads({ files, cardId: 'im.local', messageTtlMs: MESSAGE_TTL_MS, clock, log: quietLog });
  }
  async function stop(): Promise<void> {
    await files.close();
    await store.close();
  }
  const rows = (): number => (store.sql.prepare('SELECT count(*) AS n FROM file').get() as { n: number }).n;
  const receive = (text: string, accountId = 'acc_1') =>
    uploads.receive(accountId, { filename: 'a.txt', mimeType: 'text/plain' }, Readable.from([Buffer.from(text)]));
  const take = async (token: string) => (await uploads.take('acc_1', [token])).files[0]!;

  it('lives as long as its message may wait, over sweeps and a restart', async () => {
    const { fileRef } = await take(await receive('hello'));
    await clock.advance(FILES_TTL_MS + 1);
    await files.sweep();
    expect(files.get(fileRef)).toMatchObject({ byteSize: 5 });
    await stop();
    await start();
    await files.sweep();
    expect(files.get(fileRef)).toMatchObject({ byteSize: 5 });
    await clock.advance(MESSAGE_TTL_MS);
    expect(files.get(fileRef)).toBeUndefined();
  });

  it('is refused and removed when nobody sent it in time', async () => {
    const token = await receive('hello');
    const { fileRef } = await take(token);
    const late = await receive('late');
    await clock.advance(UPLOAD_TTL_MS);
    await expect(uploads.take('acc_1', [late])).rejects.toMatchObject({ code: 'unknown_file' });
    await settle();
    expect(files.get(fileRef)).toBeDefined();
    expect(rows()).toBe(1);
  });

  it('makes room for newer ones beyond the bound of its chat, and for no other chat', async () => {
    const other = await receive('other', 'acc_2');
    const first = await receive('first');
    for (let i = 0; i < MAX_WAITING_UPLOADS; i += 1) await receive(String(i));
    await expect(uploads.take('acc_1', [first])).rejects.toMatchObject({ code: 'unknown_file' });
    await expect(uploads.take('acc_2', [other])).resolves.toMatchObject({ files: [{ byteSize: 5 }] });
    await eventually(() => rows() === 1 + MAX_WAITING_UPLOADS, 'the file that made room to be removed');
  });

  it('is too large, or empty, as everywhere', async () => {
    await expect(receive('x'.repeat(1001))).rejects.toMatchObject({ code: 'too_large' });
    await expect(receive('')).rejects.toMatchObject({ code: 'empty' });
  });
});
