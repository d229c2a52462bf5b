import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, message, receive, rest, SilentAgent, type World } from '../../test/support/delivery-world.js';
import { StoreError } from '../store/index.js';
import { OVERFLOW_MESSAGES } from './intake.js';

let world: World;
const A = 'acc_a';

beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  await world.end();
});

const accepted = { status: 'accepted' } as const;

async function accept(id: string, accountId = A): Promise<void> {
  world.delivery.acknowledge(accountId, id, accepted);
  await rest();
}

describe('given a message was committed', () => {
  it('when an agent has a route, then it is offered at once, with its text byte for byte', async () => {
    const agent = new SilentAgent();
    world.delivery.route(A, agent);
    await receive(world.delivery, A, message('1', { text: '  @{session:7}\r\n/clear-history ' }));
    await rest();
    expect(agent.offers).toMatchObject([{ messageId: '1', text: '  @{session:7}\r\n/clear-history ', files: [] }]);
  });

  it('when nobody is there, then it waits, and a restart does not change that', async () => {
    await receive(world.delivery, A, message('1'), message('2'));
    world = world.crash();
    expect(world.delivery.queue(A)).toMatchObject({ pending: 2, oldestReceivedAt: world.clock.now() });
    const agent = new SilentAgent();
    world.delivery.route(A, agent);
    await rest();
    expect(agent.ids).toEqual(['1']);
  });

  it('when the network delivers it again, under either of its ids, then there is still one message', async () => {
    await receive(world.delivery, A, message('1', { dedupKeys: ['x'] }), message('1'));
    await receive(world.delivery, A, message('1'));
    world = world.crash();
    await receive(world.delivery, A, message('other', { dedupKeys: ['x'] }));
    expect(world.delivery.queue(A).pending).toBe(1);
    expect(world.delivery.counters(A)['ignored.already_seen']).toBe(3);
  });

  it('when it was accepted and the network delivers it a week later, then it is known', async () => {
    world.delivery.route(A, new SilentAgent());
    await receive(world.delivery, A, message('1'));
    await rest();
    await accept('1');
    world.clock.skip(7 * 24 * 3_600_000);
    await world.clock.advance(60_000);
    await receive(world.delivery, A, message('1'));
    expect(world.delivery.queue(A).pending).toBe(0);
    world.clock.skip(2 * 24 * 3_600_000);
    await world.clock.advance(60_000);
    expect(world.store.sql.prepare('SELECT COUNT(*) AS n FROM seen').get()).toMatchObject({ n: 0 });
  });

  it('when it has neither text nor files, then it is counted and not offered, because no packet could carry it', async () => {
    await receive(world.delivery, A, message('1', { text: '' }));
    expect(world.delivery.queue(A).pending).toBe(0);
    expect(world.delivery.counters(A)['ignored.empty']).toBe(1);
  });

  it('then the consumer state is on the disk with it', async () => {
    await world.delivery.intake.commit({
      consumer: 'net',
      state: { offset: '7', gone: 'x' },
      messages: [{ accountId: A, message: message('1') }],
      ignored: [{ accountId: A, reason: 'group_not_addressed' }],
    });
    await world.delivery.intake.commit({ consumer: 'net', state: { gone: null }, messages: [] });
    world = world.crash();
    expect(world.delivery.intake.state('net', 'offset')).toBe('7');
    expect(world.delivery.intake.state('net', 'gone')).toBeUndefined();
    expect(world.delivery.counters(A)['ignored.group_not_addressed']).toBe(1);
  });
});

describe('given the disk refuses', () => {
  it('then a commit says so, nothing of it is kept, and the same batch succeeds later', async () => {
    world.store.refuse = 'disk_full';
    await expect(receive(world.delivery, A, message('1'))).rejects.toBeInstanceOf(StoreError);
    expect(world.delivery.queue(A).pending).toBe(0);
    world.store.refuse = undefined;
    await receive(world.delivery, A, message('1'));
    expect(world.delivery.queue(A).pending).toBe(1);
    expect(world.delivery.counters(A)).toEqual({});
  });

  it('then what was accepted leaves the queue all the same, and the disk is told when it listens again', async () => {
    const agent = new SilentAgent();
    await receive(world.delivery, A, message('1'), message('2'));
    world.delivery.route(A, agent);
    await rest();
    world.store.refuse = 'disk_full';
    await accept('1');
    expect(agent.ids).toEqual(['1', '2']);
    world.store.refuse = undefined;
    await world.clock.advance(1_000);
    world = world.crash();
    expect(world.delivery.pending(A, 10).map(({ messageId }) => messageId)).toEqual(['2']);
    expect(world.delivery.counters(A)).toEqual({ delivered: 1 });
  });
});

describe('given the queue has a capacity of 5', () => {
  const options = {
    delivery: {
      ttlMs: 3_600_000,
      capacityPerChannel: 5,
      ackTimeoutMs: 30_000,
      retryInitialMs: 1_000,
      retryMaxMs: 60_000,
    },
  };
  beforeEach(async () => {
    await world.end();
    world = await openWorld(options);
  });

  it('then a full queue makes the reader of the network wait until there is room', async () => {
    const agent = new SilentAgent();
    let asked = false;
    const { signal } = new AbortController();
    await world.delivery.intake.roomFor([A], signal);
    await receive(world.delivery, A, ...['1', '2', '3', '4', '5'].map((id) => message(id)));
    const room = world.delivery.intake.roomFor([A, 'acc_b'], signal).then(() => (asked = true));
    await rest();
    expect(asked).toBe(false);
    world.delivery.route(A, agent);
    await rest();
    await accept('1');
    await room;
    expect(asked).toBe(true);
  });

  it('then no message takes the place of one that is gone, also when the queue was empty between', async () => {
    const places = new Set<unknown>();
    world.delivery.route(A, new SilentAgent());
    for (const id of ['1', '2', '3']) {
      await receive(world.delivery, A, message(id));
      await rest();
      for (const { seq } of world.store.sql.prepare('SELECT seq FROM pending').all() as { seq: number }[])
        places.add(seq);
      await accept(id);
    }
    expect(places.size).toBe(3);
  });

  it('when one account with room is enough, then a full queue beside it holds nobody up', async () => {
    const { signal } = new AbortController();
    await receive(world.delivery, A, ...['1', '2', '3', '4', '5'].map((id) => message(id)));
    await world.delivery.intake.roomFor([A, 'acc_b'], signal, 'any');
    let asked = false;
    const room = world.delivery.intake.roomFor([A], signal, 'any').then(() => (asked = true));
    await rest();
    expect(asked).toBe(false);
    world.delivery.route(A, new SilentAgent());
    await rest();
    await accept('1');
    await room;
    expect(asked).toBe(true);
  });

  it('when the wait is abandoned, then it ends', async () => {
    await receive(world.delivery, A, ...['1', '2', '3', '4', '5'].map((id) => message(id)));
    const abort = new AbortController();
    const room = world.delivery.intake.roomFor([A], abort.signal);
    abort.abort(new Error('stopped'));
    await expect(room).rejects.toThrow('stopped');
  });

  it('when a network sends on regardless, then one more batch is kept and beyond it the oldest go, counted and listed', async () => {
    const agent = new SilentAgent();
    world.delivery.route(A, agent);
    const kept = 5 + OVERFLOW_MESSAGES;
    await receive(world.delivery, A, ...Array.from({ length: kept }, (_, index) => message(String(index))));
    expect(world.delivery.counters(A)).toEqual({});
    await receive(world.delivery, A, message('one more'), message('another'));
    await rest();
    // The first is with the agent right now and may be accepted any moment.
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: '2', outcome: 'evicted', reason: 'capacity_exceeded' },
      { messageId: '1', outcome: 'evicted' },
    ]);
    expect(world.delivery.counters(A)).toEqual({ evicted: 2 });
    expect(world.delivery.queue(A).pending).toBe(kept);
    await accept('0');
    expect(agent.ids).toEqual(['0', '3']);
  });

  it('when the oldest goes while it waits for its next try, then the one behind it is offered at once', async () => {
    const agent = new SilentAgent();
    world.delivery.route(A, agent);
    const kept = 5 + OVERFLOW_MESSAGES;
    await receive(world.delivery, A, ...Array.from({ length: kept }, (_, index) => message(String(index))));
    world.delivery.acknowledge(A, '0', { status: 'rejected', code: 'busy', retryable: true });
    await receive(world.delivery, A, message('one more'));
    await rest();
    expect(world.delivery.counters(A)).toEqual({ evicted: 1 });
    expect(agent.ids).toEqual(['0', '1']);
  });
});

describe('given an album arrives in parts', () => {
  const part = (id: string, text = '') => message(id, { text, mergeKey: 'album', mergeWindowMs: 1_000 });
  let agent: SilentAgent;
  beforeEach(() => {
    agent = new SilentAgent();
    world.delivery.route(A, agent);
  });

  it('then it is one message under the first id, held from the first part on', async () => {
    await receive(world.delivery, A, part('1', 'one'));
    await world.clock.advance(600);
    await receive(world.delivery, A, part('2'), part('3', 'three'), message('next'));
    await world.clock.advance(399);
    expect(agent.offers).toEqual([]);
    await world.clock.advance(1);
    expect(agent.offers).toMatchObject([{ messageId: '1', text: 'one\nthree' }]);
    await accept('1');
    expect(agent.ids).toEqual(['1', 'next']);
  });

  it('when a part comes again, then it is not added twice, after a restart neither', async () => {
    await receive(world.delivery, A, part('1', 'one'), part('2', 'two'));
    await receive(world.delivery, A, part('2', 'two'));
    world = world.crash();
    await receive(world.delivery, A, part('2', 'two'));
    world.delivery.route(A, agent);
    await world.clock.advance(1_000);
    expect(agent.offers).toMatchObject([{ messageId: '1', text: 'one\ntwo' }]);
  });

  it('when a part comes too late, then it is a message of its own and not lost', async () => {
    await receive(world.delivery, A, part('1', 'one'));
    await world.clock.advance(1_000);
    await receive(world.delivery, A, part('2', 'two'));
    await accept('1');
    await world.clock.advance(1_000);
    expect(agent.offers).toMatchObject([{ text: 'one' }, { messageId: '2', text: 'two' }]);
  });

  it('when a part is committed while the album is being closed, then it is in one message or the other', async () => {
    await receive(world.delivery, A, part('1', 'one'));
    await world.clock.advance(999);
    // Queued before the hold is over, written with the closing in one group.
    const late = receive(world.delivery, A, part('2', 'two'));
    await world.clock.advance(1);
    await late;
    await accept('1');
    await world.clock.advance(1_000);
    expect(agent.offers.map(({ text }) => text).join('\n')).toBe('one\ntwo');
  });

  it('when parts never end, then the message is bounded', async () => {
    const file = { fileType: 'image', locator: null } as const;
    const parts = Array.from({ length: 40 }, (_, index) => ({ ...part(String(index)), attachments: [file] }));
    await receive(world.delivery, A, ...parts);
    expect(world.delivery.queue(A).pending).toBe(2);
  });
});

describe('given someone watches', () => {
  it('then a burst of changes of one account is told once a tick', async () => {
    const told: string[] = [];
    const stop = world.delivery.onChange((accountId) => told.push(accountId));
    await receive(world.delivery, A, message('1'), message('2'));
    await receive(world.delivery, 'acc_b', message('1'));
    await rest();
    expect(told).toEqual([A, 'acc_b']);
    stop();
    await receive(world.delivery, A, message('3'));
    await rest();
    expect(told.length).toBe(2);
  });

  it('then pending messages are listed without their text in full', async () => {
    await receive(world.delivery, A, message('1', { text: '👩‍👩‍👧'.repeat(90) }));
    const [facts] = world.delivery.pending(A, 5);
    expect(facts).toMatchObject({ messageId: '1', kind: 'text', length: 450, preview: '👩‍👩‍👧'.repeat(80), attempts: 0 });
  });
});
