import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FakeNetwork,
  message,
  openWorld,
  receive,
  rest,
  SilentAgent,
  type World,
} from '../../test/support/delivery-world.js';
import { TRAFFIC_BUCKET_MS, TRAFFIC_BUCKETS, TRAFFIC_WRITE_MS } from './traffic.js';

let world: World;
const A = 'acc_a';

beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  await world.end();
});

const last = () => world.delivery.traffic().buckets.at(-1);

describe('the traffic of a day', () => {
  it('has 48 half hours without gaps, the running one last', () => {
    const { bucketMs, buckets } = world.delivery.traffic();
    expect([bucketMs, buckets.length]).toEqual([1_800_000, TRAFFIC_BUCKETS]);
    for (const [index, { at }] of buckets.entries()) {
      expect(at % bucketMs).toBe(0);
      if (index > 0) expect(at - (buckets[index - 1]?.at ?? 0)).toBe(bucketMs);
    }
    expect(world.clock.now() - (buckets.at(-1)?.at ?? 0)).toBeLessThan(bucketMs);
  });

  it('counts what people wrote once, what reached a network, and the most that waited', async () => {
    await receive(world.delivery, A, message('1'), message('2'), message('2'));
    await receive(world.delivery, 'acc_b', message('3'));
    expect(last()).toMatchObject({ inbound: 3, outbound: 0, waiting: 3 });
    world.delivery.route(A, new SilentAgent());
    await rest();
    world.delivery.acknowledge(A, '1', { status: 'accepted' });
    await rest();
    expect(last()).toMatchObject({ waiting: 3 });
    world.delivery.attach(A, new FakeNetwork());
    const answer = { channelId: 'cch', accountId: A, kind: 'message', id: 'm1', text: 'hi', files: [] } as const;
    await world.delivery.deliver(answer);
    await world.delivery.deliver(answer);
    expect(last()).toMatchObject({ inbound: 3, outbound: 1 });
  });

  it('says of a message that waits through a half hour that it waited in it', async () => {
    await receive(world.delivery, A, message('1'));
    await world.clock.advance(TRAFFIC_BUCKET_MS + TRAFFIC_WRITE_MS);
    expect(world.delivery.traffic().buckets.slice(-2)).toMatchObject([
      { inbound: 1, waiting: 1 },
      { inbound: 0, waiting: 1 },
    ]);
  });

  it('costs no message a write, and survives a restart but for the last minute', async () => {
    let writes = 0;
    world.store.step = () => (writes += 1);
    await receive(world.delivery, A, message('1'));
    // Before and after the one write that stores the message.
    expect(writes).toBe(2);
    await world.clock.advance(TRAFFIC_WRITE_MS);
    await receive(world.delivery, A, message('2'));
    world = world.crash();
    expect(last()).toMatchObject({ inbound: 1 });
  });

  it('is counted on when the disk refuses it for a while', async () => {
    await receive(world.delivery, A, message('1'));
    world.store.refuse = 'disk_full';
    await world.clock.advance(TRAFFIC_WRITE_MS);
    world.store.refuse = undefined;
    await world.clock.advance(TRAFFIC_WRITE_MS);
    world = world.crash();
    expect(last()).toMatchObject({ inbound: 1 });
  });
});

describe('the text of a message', () => {
  it('is told while it is pending, whole, and not afterwards', async () => {
    const text = 'x'.repeat(500);
    await receive(world.delivery, A, message('1', { text }));
    expect(world.delivery.text(A, '1')).toBe(text);
    expect(world.delivery.text('acc_b', '1')).toBeUndefined();
    await world.delivery.discard(A, '1');
    expect(world.delivery.text(A, '1')).toBeUndefined();
  });
});
