import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wallTime } from '../../src/base/clock.js';
import { MAINTENANCE_MAX_INTERVAL_MS } from '../../src/delivery/maintenance.js';
import { createFileStore } from '../../src/files/index.js';
import { openStore } from '../../src/store/index.js';
import { FakeNetwork, message, openWorld, receive, rest, SilentAgent, type World } from '../support/delivery-world.js';
import { ManualClock } from '../support/manual-clock.js';
import { quietLog } from '../support/quiet-log.js';
import { ScarceNetwork } from '../support/scarce-network.js';

/** Whoever sets the clock of the machine ends nothing, keeps nothing and stops nothing: what is stored lives as long as it should. */

const A = 'acc_a';
const ROUTE = { channelId: 'cch_a', accountId: A };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A day and a bit each way; and what a machine with an empty battery does once it has found a network. */
const JUMPS = [
  ['26 h ahead', 26 * HOUR],
  ['26 h back', -26 * HOUR],
  ['six years ahead', 6 * 365 * 24 * HOUR],
] as const;

describe.each(JUMPS)('when the clock is set %s', (_, jump) => {
  let world: World;
  beforeEach(async () => {
    world = await openWorld();
  });
  afterEach(() => world.end());

  async function passed(ms: number): Promise<void> {
    await world.clock.advance(ms);
    await rest();
  }

  function deliver(id: string, text: string): ReturnType<World['delivery']['deliver']> {
    return world.delivery.deliver({ kind: 'message', ...ROUTE, id, text, files: [] });
  }

  it('a message that has waited a minute goes on waiting, and is shown to have waited a minute', async () => {
    await receive(world.delivery, A, message('1'));
    await passed(MINUTE);
    world.clock.jumpWall(jump);
    await passed(2 * MAINTENANCE_MAX_INTERVAL_MS);
    const [pending] = world.delivery.pending(A, 10);
    const waited = MINUTE + 2 * MAINTENANCE_MAX_INTERVAL_MS;
    expect(pending?.receivedAt).toBe(world.clock.now() - waited);
    expect(pending?.expiresAt).toBe(world.clock.now() + world.options.delivery.ttlMs - waited);
    expect(world.delivery.queue(A).oldestReceivedAt).toBe(world.clock.now() - waited);
    const agent = new SilentAgent();
    world.delivery.route(A, agent);
    await rest();
    expect(agent.ids).toEqual(['1']);
    expect(agent.offers[0]?.receivedAt).toBe(world.clock.now() - waited);
  });

  it('it ends when its time has really passed, over a restart too', async () => {
    await receive(world.delivery, A, message('1'));
    world.clock.jumpWall(jump);
    await passed(world.options.delivery.ttlMs / 2);
    world = world.crash();
    world.clock.jumpWall(-jump);
    await passed(world.options.delivery.ttlMs / 2 - 2 * MINUTE);
    expect(world.delivery.queue(A).pending).toBe(1);
    await passed(2 * MINUTE + MAINTENANCE_MAX_INTERVAL_MS);
    expect(world.delivery.counters(A)).toEqual({ expired: 1 });
    const [ended] = world.delivery.ended(A, 1);
    expect(ended?.endedAt).toBeLessThanOrEqual(world.clock.now());
    expect(ended?.endedAt).toBeGreaterThan(world.clock.now() - 5 * MINUTE);
  });

  it('a message that failed is tried again when it would have been, and that is what is shown', async () => {
    const agent = new SilentAgent();
    agent.answer = () => Promise.reject(new Error('no'));
    world.delivery.route(A, agent);
    await receive(world.delivery, A, message('1'));
    await rest();
    const tries = agent.ids.length;
    world.clock.jumpWall(jump);
    const { retryAt = 0 } = world.delivery.queue(A);
    expect(retryAt - world.clock.now()).toBeGreaterThanOrEqual(0);
    expect(retryAt - world.clock.now()).toBeLessThanOrEqual(world.options.delivery.retryMaxMs);
    await passed(retryAt - world.clock.now());
    expect(agent.ids.length).toBeGreaterThan(tries);
  });

  it('an answer that was sent is known when it is repeated, and so is a message that is delivered again', async () => {
    const network = new FakeNetwork();
    world.delivery.attach(A, network);
    const agent = new SilentAgent();
    world.delivery.route(A, agent);
    await receive(world.delivery, A, message('1'));
    await rest();
    world.delivery.acknowledge(A, '1', { status: 'accepted' });
    await deliver('m', 'one');
    world.clock.jumpWall(jump);
    await passed(2 * MAINTENANCE_MAX_INTERVAL_MS);
    expect(await deliver('m', 'one')).toMatchObject({ status: 'duplicate' });
    await receive(world.delivery, A, message('1'));
    await rest();
    expect(network.texts).toEqual(['one']);
    expect(agent.ids).toEqual(['1']);
  });

  it('an answer that waits for the person goes on waiting, and is sent when they write', async () => {
    const network = new ScarceNetwork();
    world.delivery.attach(A, network);
    expect(await deliver('m', 'one')).toMatchObject({ status: 'held' });
    world.clock.jumpWall(jump);
    await passed(2 * MAINTENANCE_MAX_INTERVAL_MS);
    const [held] = world.delivery.held(A, 1);
    expect(held?.heldAt).toBe(world.clock.now() - 2 * MAINTENANCE_MAX_INTERVAL_MS);
    network.renew();
    await rest();
    expect(network.texts).toEqual(['one']);
  });

  it('an uploaded file can be fetched for as long as it was promised, and no longer', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'clock-set-'));
    const clock = new ManualClock();
    const store = await openStore({ dataDir, clock, log: quietLog });
    const options = { maxUploadBytes: 1_000, ttlMs: HOUR, maxTotalBytes: 10_000 };
    const files = createFileStore({ store, dataDir, clock, log: quietLog, options });
    try {
      const { fileRef, expiresAt } = await files.put({ cardId: 'im.local', channelId: 'c' }, Readable.from(['bytes']));
      clock.jumpWall(jump);
      await clock.advance(HOUR - 1);
      await files.sweep();
      expect(files.get(fileRef)).toBeDefined();
      expect(wallTime(clock, expiresAt)).toBe(clock.now() + 1);
      await clock.advance(1);
      expect(files.get(fileRef)).toBeUndefined();
    } finally {
      await files.close();
      await store.close();
      rmSync(dataDir, { recursive: true });
    }
  });
});
