import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, message, receive, rest, SilentAgent, type World } from '../../test/support/delivery-world.js';

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

describe('given a profile without acknowledgments', () => {
  /** The socket before reads slowly: it is replaced, and says only then that it has the first of two messages. */
  async function replace(next: SilentAgent): Promise<void> {
    const slow = new SilentAgent();
    let written: (handed: 'done') => void = () => undefined;
    slow.answer = () => new Promise((resolve) => (written = resolve));
    await receive(world.delivery, A, message('1'), message('2'));
    world.delivery.route(A, slow);
    await rest();
    world.delivery.route(A, next);
    await rest();
    written('done');
    await rest();
  }

  it('when the socket before takes a message that its successor had taken too, then it is delivered once and the next one waits', async () => {
    const next = new SilentAgent();
    next.answer = ({ messageId }) => Promise.resolve(messageId === '1' ? 'done' : 'sent');
    await replace(next);
    expect(next.ids).toEqual(['1', '2']);
    expect(world.delivery.counters(A)).toEqual({ delivered: 1 });
    expect(world.delivery.queue(A).pending).toBe(1);
  });

  it('when the socket before takes it first, then its successor is not waited for', async () => {
    const next = new SilentAgent();
    next.answer = () => new Promise(() => undefined);
    await replace(next);
    expect(next.ids).toEqual(['1', '2']);
    expect(world.delivery.counters(A)).toEqual({ delivered: 1 });
  });
});

describe('given several messages are pending', () => {
  let agent: SilentAgent;
  beforeEach(async () => {
    agent = new SilentAgent();
    await receive(world.delivery, A, message('1'), message('2'), message('3'));
    world.delivery.route(A, agent);
    await rest();
  });

  it('then one is offered at a time, oldest first, and the next as soon as the verdict is there', async () => {
    expect(agent.ids).toEqual(['1']);
    // No turn of the event loop in between: the disk is not waited for.
    world.delivery.acknowledge(A, '1', accepted);
    expect(agent.ids).toEqual(['1', '2']);
    await rest();
    await accept('2');
    await accept('3');
    expect(agent.ids).toEqual(['1', '2', '3']);
    expect(world.delivery.queue(A).pending).toBe(0);
    expect(world.delivery.counters(A)).toEqual({ delivered: 3 });
  });

  it('when all are acknowledged and the program dies, then none comes again', async () => {
    for (const id of ['1', '2', '3']) await accept(id);
    world = world.crash();
    const next = new SilentAgent();
    world.delivery.route(A, next);
    await rest();
    expect(next.ids).toEqual([]);
  });

  it('when the agent knows the message already, then it is done and counted as duplicate', async () => {
    world.delivery.acknowledge(A, '1', { status: 'duplicate' });
    await rest();
    expect(agent.ids).toEqual(['1', '2']);
    expect(world.delivery.counters(A)).toEqual({ duplicate: 1 });
  });

  it('when the head is rejected for good, then it is listed with its reason and the next goes on', async () => {
    world.delivery.acknowledge(A, '1', { status: 'rejected', code: 'channel_busy', retryable: false });
    await rest();
    expect(agent.ids).toEqual(['1', '2']);
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: '1', outcome: 'rejected', reason: 'channel_busy', kind: 'text', preview: 'text of 1', length: 9 },
    ]);
    world = world.crash();
    const next = new SilentAgent();
    world.delivery.route(A, next);
    await world.clock.advance(600_000);
    expect(next.ids).not.toContain('1');
  });

  it('when the head is rejected for now, then it is offered again after a back-off and the others wait', async () => {
    world.delivery.acknowledge(A, '1', { status: 'rejected', code: 'channel_busy', retryable: true });
    await rest();
    expect(world.delivery.queue(A)).toMatchObject({
      pending: 3,
      attempts: 1,
      lastError: 'channel_busy',
      retryAt: world.clock.now() + 1_000,
    });
    await world.clock.advance(999);
    expect(agent.ids).toEqual(['1']);
    await world.clock.advance(1);
    expect(agent.ids).toEqual(['1', '1']);
  });

  it('when it keeps failing, then the back-off doubles up to its cap', async () => {
    const at: number[] = [];
    agent.answer = () => {
      at.push(world.clock.monotonic());
      return Promise.reject(new Error('no'));
    };
    world.delivery.acknowledge(A, '1', { status: 'rejected', code: 'busy', retryable: true });
    await world.clock.advance(400_000);
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(gaps.slice(0, 8)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('when no verdict comes in time, then that is a failure and never an acceptance', async () => {
    await world.clock.advance(29_999);
    expect(agent.ids).toEqual(['1']);
    await world.clock.advance(1_001);
    expect(agent.ids).toEqual(['1', '1']);
    expect(world.delivery.queue(A)).toMatchObject({ attempts: 1, lastError: 'ack_timeout', pending: 3 });
  });

  it('when the verdict on an earlier transmission comes late, then it counts, whatever the head is doing', async () => {
    await world.clock.advance(30_000);
    expect(world.delivery.queue(A).retryAt).toBeDefined();
    await accept('1');
    expect(agent.ids).toEqual(['1', '2']);
    await world.clock.advance(5_000);
    expect(agent.ids).toEqual(['1', '2']);
  });

  it('when a verdict names a message that was never offered, then it changes nothing', async () => {
    await accept('2');
    await accept('nonsense');
    expect(world.delivery.queue(A).pending).toBe(3);
  });

  it('when a new route opens, then the head is offered there at once and the back-off begins anew', async () => {
    world.delivery.acknowledge(A, '1', { status: 'rejected', code: 'busy', retryable: true });
    const next = new SilentAgent();
    world.delivery.route(A, undefined);
    await world.clock.advance(10_000);
    expect(agent.ids).toEqual(['1']);
    world.delivery.route(A, next);
    await rest();
    expect(next.ids).toEqual(['1']);
    world.delivery.acknowledge(A, '1', { status: 'rejected', code: 'busy', retryable: true });
    await world.clock.advance(1_000);
    expect(next.ids).toEqual(['1', '1']);
  });

  it('when the route is lost under way, then the verdict may still come by another way', async () => {
    world.delivery.route(A, undefined);
    expect(world.delivery.queue(A)).toMatchObject({ attempts: 1, lastError: 'disconnected' });
    await accept('1');
    expect(world.delivery.queue(A).pending).toBe(2);
  });

  it('when another account fails, then this one goes on', async () => {
    const other = new SilentAgent();
    other.answer = () => Promise.reject(new Error('broken'));
    await receive(world.delivery, 'acc_b', message('b'));
    world.delivery.route('acc_b', other);
    await rest();
    await accept('1');
    expect(agent.ids).toEqual(['1', '2']);
    expect(world.delivery.queue('acc_b')).toMatchObject({ lastError: 'transmit_failed', pending: 1 });
  });

  it('when the person pauses, then nothing new is offered, verdicts still count, and resuming goes on', async () => {
    world.delivery.pause(true);
    await accept('1');
    await world.clock.advance(60_000);
    expect(agent.ids).toEqual(['1']);
    world.delivery.pause(false);
    await rest();
    expect(agent.ids).toEqual(['1', '2']);
  });

  it('when the person asks for a retry, then the back-off is skipped', async () => {
    world.delivery.acknowledge(A, '1', { status: 'rejected', code: 'busy', retryable: true });
    world.delivery.retryNow(A);
    await rest();
    expect(agent.ids).toEqual(['1', '1']);
  });

  it('when the person discards messages, the head included, then they are listed and never offered again', async () => {
    expect(await world.delivery.discard(A, '2')).toBe(true);
    expect(await world.delivery.discard(A, '1')).toBe(true);
    expect(await world.delivery.discard(A, '2')).toBe(false);
    expect(agent.ids).toEqual(['1', '3']);
    expect(world.delivery.counters(A)).toEqual({ discarded: 2 });
    await accept('1');
    expect(world.delivery.counters(A)).toEqual({ discarded: 2 });
    expect(world.delivery.ended(A, 10).map(({ messageId }) => messageId)).toEqual(['1', '2']);
  });

  it('when the account signs out, then everything pending ends with the reason, and its ids may come again', async () => {
    await world.delivery.forgetAccount(A, 'signed_out');
    expect(world.delivery.queue(A).pending).toBe(0);
    expect(world.delivery.counters(A)).toEqual({ discarded: 3 });
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: '3', outcome: 'discarded', reason: 'signed_out' },
      { messageId: '2' },
      { messageId: '1' },
    ]);
    await receive(world.delivery, A, message('1'));
    expect(world.delivery.queue(A).pending).toBe(1);
  });

  it('when the program closes, then nothing more is offered and everything is still there next time', async () => {
    const closing = world.delivery.close();
    await accept('1');
    await closing;
    expect(agent.ids).toEqual(['1']);
    world = world.crash();
    expect(world.delivery.queue(A).pending).toBe(3);
  });
});

describe('given an upstream for which handing over is all there is', () => {
  it('then a written packet is a delivered message', async () => {
    const agent = new SilentAgent();
    agent.answer = () => Promise.resolve('done');
    world.delivery.route(A, agent);
    await receive(world.delivery, A, message('1'), message('2'));
    await rest();
    expect(agent.ids).toEqual(['1', '2']);
    expect(world.delivery.counters(A)).toEqual({ delivered: 2 });
  });

  it('when it answers inside the call, a thousand times over, then that is no deeper than once', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => String(index));
    await receive(world.delivery, A, ...ids.map((id) => message(id)));
    const agent = new SilentAgent();
    agent.answer = (offer) => {
      world.delivery.acknowledge(A, offer.messageId, accepted);
      return Promise.resolve('sent');
    };
    world.delivery.route(A, agent);
    await rest();
    expect(agent.ids).toEqual(ids);
  });
});

describe('given a message was not accepted for the length of its life', () => {
  it('then it is never offered again, counted, listed, and the clock of the next is its own', async () => {
    const agent = new SilentAgent();
    await receive(world.delivery, A, message('old'));
    await world.clock.advance(1_800_000);
    await receive(world.delivery, A, message('young'));
    await world.clock.advance(1_800_000);
    world.delivery.route(A, agent);
    await rest();
    expect(agent.ids).toEqual(['young']);
    expect(world.delivery.counters(A)).toEqual({ expired: 1 });
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: 'old', outcome: 'expired', reason: 'ttl_expired' },
    ]);
  });

  it('when it waits for its next try at that moment, then the one behind it is offered at once', async () => {
    const agent = new SilentAgent();
    agent.answer = () => Promise.reject(new Error('no'));
    await receive(world.delivery, A, message('old'));
    await world.clock.advance(3_570_000);
    await receive(world.delivery, A, message('young'));
    world.delivery.route(A, agent);
    await world.clock.advance(29_999);
    expect(agent.ids.at(-1)).toBe('old');
    expect(world.delivery.queue(A).retryAt).toBeGreaterThan(world.clock.now() + 1);
    await world.clock.advance(1);
    expect(agent.ids.at(-1)).toBe('young');
  });

  it('when a route opens at that very moment, then it is not offered, though no clean-up has run since', async () => {
    const agent = new SilentAgent();
    await world.clock.advance(30_000);
    await receive(world.delivery, A, message('1'));
    await world.clock.advance(3_600_000);
    expect(world.delivery.queue(A).pending).toBe(1);
    world.delivery.route(A, agent);
    await rest();
    expect(agent.ids).toEqual([]);
    expect(world.delivery.counters(A)).toEqual({ expired: 1 });
  });

  it('then neither a restart nor a retry has extended it', async () => {
    const agent = new SilentAgent();
    agent.answer = () => Promise.reject(new Error('no'));
    await receive(world.delivery, A, message('1'));
    world.delivery.route(A, agent);
    await world.clock.advance(3_000_000);
    world = world.crash();
    world.delivery.route(A, agent);
    await world.clock.advance(600_000);
    const offers = agent.offers.length;
    await world.clock.advance(600_000);
    expect(agent.offers.length).toBe(offers);
    expect(world.delivery.counters(A)).toEqual({ expired: 1 });
  });

  it('then it expires while nobody is there, within half its life', async () => {
    await receive(world.delivery, A, message('1'));
    await world.clock.advance(3_600_000 + 60_000);
    expect(world.delivery.queue(A).pending).toBe(0);
    expect(world.delivery.counters(A)).toEqual({ expired: 1 });
  });

  it('when the program was off meanwhile, then it has expired before anything is offered', async () => {
    await receive(world.delivery, A, message('1'), message('2'));
    world.store.dead = true;
    world.clock.skip(3_600_000);
    world = world.crash();
    await rest();
    expect(world.delivery.queue(A).pending).toBe(0);
    expect(world.delivery.counters(A)).toEqual({ expired: 2 });
  });

  it('when it is with the agent at that moment, then an acceptance still counts and a timeout ends it', async () => {
    const agent = new SilentAgent();
    await receive(world.delivery, A, message('1'));
    await world.clock.advance(3_590_000);
    world.delivery.route(A, agent);
    await world.clock.advance(20_000);
    await accept('1');
    expect(world.delivery.counters(A)).toEqual({ delivered: 1 });

    world.delivery.route(A, undefined);
    await receive(world.delivery, A, message('2'));
    await world.clock.advance(3_590_000);
    world.delivery.route(A, agent);
    await world.clock.advance(120_000);
    expect(agent.ids).toEqual(['1', '2']);
    expect(world.delivery.counters(A)).toMatchObject({ expired: 1 });
  });
});
