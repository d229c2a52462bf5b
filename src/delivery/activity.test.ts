import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, openWorld, rest, type World } from '../../test/support/delivery-world.js';

const A = 'acc_a';
const ROUTE = { channelId: 'cch_a', accountId: A };
let world: World;
let network: FakeNetwork;

beforeEach(async () => {
  world = await openWorld();
  network = new FakeNetwork();
  world.delivery.attach(A, network);
});
afterEach(async () => {
  await world.end();
});

const final = () => world.delivery.deliver({ ...ROUTE, kind: 'message', id: 'm', text: 'one', files: [] });

async function textBecomesVisible(): Promise<void> {
  network.stream = {
    minIntervalMs: 1_000,
    open: async () => ({ handle: 'h', visible: true }),
    update: async () => undefined,
    finish: async () => ({ messageId: 'h' }),
  };
  world.delivery.delta(ROUTE, 'm', 1, 'a');
}

describe('given the agent shows what it does', () => {
  const calls: string[] = [];
  beforeEach(() => {
    calls.length = 0;
    network.typing = {
      keepAliveMs: 4_000,
      show: async () => void calls.push('show'),
      clear: async () => void calls.push('clear'),
    };
  });
  const thinking = () => ({ status: 'thinking', since: world.clock.now() }) as const;

  it('then the person sees typing, kept alive, until it is idle', async () => {
    const since = world.clock.now();
    world.delivery.activity(ROUTE, thinking());
    await world.clock.advance(9_000);
    expect(calls).toEqual(['show', 'show', 'show']);
    expect(world.delivery.currentActivity(A)).toEqual({ status: 'thinking', since });
    world.delivery.activity(ROUTE, { status: 'idle' });
    await world.clock.advance(9_000);
    expect(calls).toEqual(['show', 'show', 'show', 'clear']);
    expect(world.delivery.currentActivity(A)).toEqual({ status: 'idle' });
  });

  it('when its account has a session only later, or another one, then it is shown there and kept alive', async () => {
    world.delivery.attach(A, undefined);
    world.delivery.activity(ROUTE, thinking());
    await world.clock.advance(9_000);
    expect(calls).toEqual([]);
    world.delivery.attach(A, network);
    await world.clock.advance(4_000);
    expect(calls).toEqual(['show', 'show']);
    const other = new FakeNetwork();
    const shown: string[] = [];
    other.typing = { keepAliveMs: 4_000, show: async () => void shown.push('show'), clear: async () => undefined };
    world.delivery.attach(A, other);
    await world.clock.advance(4_000);
    expect([calls.length, shown]).toEqual([2, ['show', 'show']]);
  });

  it('then a new snapshot replaces the one before without a further call', async () => {
    world.delivery.activity(ROUTE, thinking());
    await rest();
    world.delivery.activity(ROUTE, { status: 'tool', toolName: 'web_search', since: 5 });
    await rest();
    expect(world.delivery.currentActivity(A)).toEqual({ status: 'tool', toolName: 'web_search', since: 5 });
    expect(calls).toEqual(['show']);
  });

  it.each([
    ['a final comes', final],
    ['text becomes visible', textBecomesVisible],
    ['its time is over', () => world.clock.advance(180_000)],
  ])('when %s, then typing ends', async (_, event) => {
    world.delivery.activity(ROUTE, thinking());
    await rest();
    await event();
    await rest();
    expect(calls.at(-1)).toBe('clear');
    expect(world.delivery.currentActivity(A)).toEqual({ status: 'idle' });
  });

  it('when text comes that nobody sees yet, then typing goes on', async () => {
    world.delivery.activity(ROUTE, thinking());
    world.delivery.delta(ROUTE, 'm', 1, 'a');
    await rest();
    expect(calls).toEqual(['show']);
  });

  it('when the network fails to show it, then nothing else happens', async () => {
    network.typing = {
      keepAliveMs: 4_000,
      show: () => Promise.reject(new Error('no')),
      clear: () => Promise.reject(new Error('no')),
    };
    world.delivery.activity(ROUTE, thinking());
    expect(await final()).toMatchObject({ status: 'accepted' });
  });

  it('when a call is slow, then the next waits, and the last wish wins', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    network.typing = {
      keepAliveMs: 4_000,
      show: async () => {
        calls.push('show');
        await gate;
      },
      clear: async () => void calls.push('clear'),
    };
    world.delivery.activity(ROUTE, thinking());
    world.delivery.activity(ROUTE, { status: 'idle' });
    await rest();
    expect(calls).toEqual(['show']);
    open();
    await rest();
    expect(calls).toEqual(['show', 'clear']);
  });
});
