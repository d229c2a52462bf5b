import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeLink } from '../../../test/support/fake-link.js';
import { FlakyStore } from '../../../test/support/flaky-store.js';
import { ManualClock, settle } from '../../../test/support/manual-clock.js';
import { MemoryFiles } from '../../../test/support/memory-files.js';
import { MemorySecretStore } from '../../../test/support/memory-secrets.js';
import { quietLog } from '../../../test/support/quiet-log.js';
import { RecordingDelivery } from '../../../test/support/recording-delivery.js';
import { PROTOCOL_VERSION } from '../../protocol/index.js';
import { openStore } from '../../store/index.js';
import { createStage, type Stage } from './stage.js';

const GRACE_MS = 5_000;

describe('the stage of a rehearsal that a crash ended', () => {
  let dataDir: string;
  let store: FlakyStore;
  let clock: ManualClock;
  const secrets = new MemorySecretStore();
  const stages: Stage[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'stage-'));
    clock = new ManualClock();
    store = new FlakyStore(await openStore({ dataDir, clock, log: quietLog }));
  });
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.connector.close();
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  function stage(): Stage {
    const own = createStage({
      store,
      clock,
      secrets,
      delivery: new RecordingDelivery(),
      files: new MemoryFiles(),
      log: quietLog,
      random: () => 0,
      build: { version: '0.1.0', git_tag: 'v0.1.0', git_rev: 'abc1234', build_time: '2601151200' },
      messageTtlMs: 1,
      signedIn: () => undefined,
    });
    stages.push(own);
    return own;
  }
  const rows = (table: 'account' | 'channel') =>
    (store.sql.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;

  it('is empty soon after the next start, and not started at all when nothing was left', async () => {
    const first = stage();
    await first.enter();
    const { connector } = first;
    const link = new FakeLink();
    connector.hello(link, {
      connector_card_id: 'im.rehearsal',
      connector_id: '',
      protocol_version: PROTOCOL_VERSION,
      supported_profiles: ['xagent.im.v2'],
    });
    const { connector_channel_id: channelId } = await connector.openChannel(link, '');
    await connector.authStart(link, channelId, {});
    expect([rows('account'), rows('channel')]).toEqual([1, 1]);

    const next = stage();
    await next.tidy();
    await settle(40);
    await clock.advance(GRACE_MS);
    await settle(40);
    expect([rows('account'), rows('channel'), secrets.entries.size]).toEqual([0, 0, 0]);

    const later = stage();
    await later.tidy();
    // Nobody signs in on a connector that does not run.
    expect(await later.connector.signIn({})).toMatchObject({ status: 'failed' });
  });

  it('opens once the disk takes writes again', async () => {
    const own = stage();
    store.refuse = 'disk_full';
    await expect(own.enter()).rejects.toMatchObject({ code: 'disk_full' });
    store.refuse = undefined;
    expect(await own.enter()).not.toBe('');
  });

  it('lets in who carries the pass of the rehearsal under way', async () => {
    const own = stage();
    const asks = (pass?: string) => ({ headers: pass === undefined ? {} : { 'x-xagent-rehearsal': pass } }) as never;
    expect(own.admits(asks('anything'))).toBe(false);
    const pass = await own.enter();
    expect([own.admits(asks(pass)), own.admits(asks()), own.admits(asks(`${pass}x`))]).toEqual([true, false, false]);
    own.leave();
    expect(own.admits(asks(pass))).toBe(false);
  });
});
