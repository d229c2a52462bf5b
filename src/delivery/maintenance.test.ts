import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { message, openWorld, receive, rest, type World } from '../../test/support/delivery-world.js';
import { ScarceNetwork } from '../../test/support/scarce-network.js';
import { claimConsumer, noteGoneAccount } from '../store/index.js';
import { ENDED_KEPT_MS } from './ended-log.js';
import { MAINTENANCE_MAX_INTERVAL_MS } from './maintenance.js';

const A = 'acc_a';
const CONSUMER = 'test/a';
let world: World;

beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  await world.end();
});

/** To the first clean-up after `ms` have passed. */
async function cleanedUpAfter(ms: number): Promise<void> {
  await world.clock.advance(ms);
  await world.clock.advance(MAINTENANCE_MAX_INTERVAL_MS);
  await rest();
}

async function counted(): Promise<void> {
  await world.delivery.intake.commit({
    consumer: CONSUMER,
    state: { cursor: '1' },
    messages: [],
    ignored: [{ accountId: A, reason: 'group_not_addressed' }],
  });
}

describe('given messages that ended undelivered', () => {
  it('then they are listed for a week, and then their words are gone from the disk', async () => {
    await receive(world.delivery, A, message('1'));
    await world.delivery.discard(A, '1');
    await cleanedUpAfter(ENDED_KEPT_MS - 2 * MAINTENANCE_MAX_INTERVAL_MS);
    expect(world.delivery.ended(A, 10)).toHaveLength(1);
    await cleanedUpAfter(MAINTENANCE_MAX_INTERVAL_MS);
    expect(world.delivery.ended(A, 10)).toEqual([]);
  });
});

describe('given an account that is gone', () => {
  const gone = (consumer: string | undefined): Promise<void> =>
    world.store.write((sql) => noteGoneAccount(sql, { accountId: A, consumer }, world.clock.now()));
  const rows = (): unknown[] =>
    world.store.sql
      .prepare('SELECT account_id FROM gone_account')
      .all()
      .concat(
        world.store.sql.prepare('SELECT account_id FROM counter').all(),
        world.store.sql.prepare('SELECT consumer FROM consumer_state').all(),
      );

  it('when the program ends before its messages have, then they end with it after the next start', async () => {
    const network = new ScarceNetwork();
    world.delivery.attach(A, network);
    await receive(world.delivery, A, message('1'));
    const answer = { kind: 'message', channelId: 'cch_a', accountId: A, id: 'm', text: 'held', files: [] } as const;
    expect(await world.delivery.deliver(answer)).toMatchObject({ status: 'held' });
    await gone(undefined);
    world = world.crash();
    await cleanedUpAfter(0);
    expect(world.delivery.queue(A)).toMatchObject({ pending: 0, heldReplies: 0 });
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: '1', outcome: 'discarded', reason: 'signed_out' },
      { messageId: 'm', outcome: 'discarded', reason: 'signed_out' },
    ]);
    expect(await world.delivery.deliver(answer)).toMatchObject({ code: 'connection_not_authenticated' });
  });

  it('then its counters and the state of its reader are there for a week, and nothing is afterwards', async () => {
    await counted();
    await gone(CONSUMER);
    await cleanedUpAfter(ENDED_KEPT_MS - 2 * MAINTENANCE_MAX_INTERVAL_MS);
    expect(world.delivery.counters(A)).toEqual({ 'ignored.group_not_addressed': 1 });
    expect(world.delivery.intake.state(CONSUMER, 'cursor')).toBe('1');
    await cleanedUpAfter(MAINTENANCE_MAX_INTERVAL_MS);
    expect(world.delivery.counters(A)).toEqual({});
    expect(rows()).toEqual([]);
  });

  it('when the program restarts meanwhile, then that happens all the same', async () => {
    await counted();
    await gone(CONSUMER);
    world = world.crash();
    await cleanedUpAfter(ENDED_KEPT_MS);
    expect(rows()).toEqual([]);
  });

  it('when its reader serves another account, or a new one since, then the state stays', async () => {
    await counted();
    await gone(CONSUMER);
    await world.store.write((sql) => claimConsumer(sql, CONSUMER));
    await cleanedUpAfter(ENDED_KEPT_MS);
    expect(world.delivery.intake.state(CONSUMER, 'cursor')).toBe('1');
    expect(world.delivery.counters(A)).toEqual({});
  });

  it('then the counters of accounts that live stay', async () => {
    await counted();
    await cleanedUpAfter(ENDED_KEPT_MS);
    expect(world.delivery.counters(A)).toEqual({ 'ignored.group_not_addressed': 1 });
  });
});
