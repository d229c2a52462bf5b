import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { message, openWorld, receive, rest, SilentAgent, type World } from '../../test/support/delivery-world.js';
import type { OfferedMessage } from './delivery.js';

/** Whole lives of a queue at random, held against what a child would expect of it. */

let world: World;
let runs = 0;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.end();
});

interface Expected {
  readonly id: string;
  readonly expiresAt: number;
}

type Command =
  | { kind: 'receive'; ids: number[]; killAt: number }
  | { kind: 'accept' | 'duplicate' | 'refuse' | 'postpone' }
  | { kind: 'stray'; id: number }
  | { kind: 'discard'; index: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'route' | 'unroute' | 'restart' };

const command: fc.Arbitrary<Command> = fc.oneof(
  // Ids from a small range, so that redeliveries happen; sometimes the program dies at a write, before or after it.
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('receive' as const),
      ids: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }),
      killAt: fc.constantFrom(0, 0, 0, 1, 2),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('accept', 'duplicate', 'refuse', 'postpone') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stray' as const), id: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard' as const), index: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(500, 1_000, 31_000, 1_777_777) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('route', 'unroute', 'restart') }) },
);

/** The queue as it should be. */
class Model {
  queue: Expected[] = [];
  readonly known = new Set<string>();
  readonly expired = new Set<string>();
  readonly account: string;
  agent = new SilentAgent();
  routed = false;
  /** The head was handed over in this run of the program. */
  offered: string | undefined;
  readonly wrong: string[] = [];

  constructor() {
    runs += 1;
    this.account = `acc_${String(runs)}`;
  }

  head(): Expected | undefined {
    return this.queue.find(({ expiresAt }) => expiresAt > world.clock.now());
  }

  route(): void {
    this.agent = new SilentAgent();
    this.agent.answer = (offer) => {
      this.onOffer(offer);
      return Promise.resolve('sent');
    };
    this.routed = true;
    world.delivery.route(this.account, this.agent);
  }

  onOffer(offer: OfferedMessage): void {
    const head = this.head();
    if (offer.messageId !== head?.id) this.wrong.push(`offered ${offer.messageId} instead of ${head?.id ?? 'nothing'}`);
    this.offered = offer.messageId;
  }

  remove(id: string): void {
    this.queue = this.queue.filter((expected) => expected.id !== id);
  }
}

async function run(model: Model, step: Command): Promise<void> {
  const { account } = model;
  switch (step.kind) {
    case 'receive': {
      const messages = step.ids.map((id) => message(`${account}-${String(id)}`));
      for (const { id } of messages) {
        if (model.known.has(id)) continue;
        model.known.add(id);
        model.queue.push({ id, expiresAt: world.clock.now() + world.options.delivery.ttlMs });
      }
      if (step.killAt > 0) {
        await dieAtWrite(model, step.killAt, () => receive(world.delivery, account, ...messages));
      }
      // The network was not told, so it delivers the batch again.
      await receive(world.delivery, account, ...messages);
      break;
    }
    case 'accept':
    case 'duplicate':
    case 'refuse':
    case 'postpone': {
      const id = model.offered;
      if (id === undefined) break;
      if (step.kind !== 'postpone') model.remove(id);
      model.offered = step.kind === 'postpone' ? id : undefined;
      world.delivery.acknowledge(
        account,
        id,
        step.kind === 'accept'
          ? { status: 'accepted' }
          : step.kind === 'duplicate'
            ? { status: 'duplicate' }
            : { status: 'rejected', code: 'x', retryable: step.kind === 'postpone' },
      );
      break;
    }
    case 'stray': {
      const id = `${account}-${String(step.id)}`;
      if (id !== model.offered) world.delivery.acknowledge(account, id, { status: 'accepted' });
      break;
    }
    case 'discard': {
      const expected = model.queue[step.index];
      if (!expected || expected.expiresAt <= world.clock.now()) break;
      model.remove(expected.id);
      if (model.offered === expected.id) model.offered = undefined;
      expect(await world.delivery.discard(account, expected.id)).toBe(true);
      break;
    }
    case 'wait':
      await world.clock.advance(step.ms);
      break;
    case 'route':
      model.route();
      break;
    case 'unroute':
      model.routed = false;
      world.delivery.route(account, undefined);
      break;
    case 'restart':
      await rest();
      restart(model);
      break;
  }
  await rest();
}

function restart(model: Model): void {
  model.offered = undefined;
  world = world.crash();
  if (model.routed) model.route();
}

/** The program is killed before its next write (1) or after it is on disk and before anyone heard of it (2). */
async function dieAtWrite(model: Model, at: number, action: () => Promise<void>): Promise<void> {
  await rest();
  let left = at;
  const { store } = world;
  store.step = () => {
    left -= 1;
    if (left === 0) store.dead = true;
  };
  void action();
  await rest();
  restart(model);
}

describe('given any life of a queue', () => {
  it('then every accepted message is offered in order, none twice over a clean restart, none after its time, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
        const model = new Model();
        for (const step of commands) await run(model, step);
        expect(model.wrong).toEqual([]);
        expect(live(model)).toEqual(
          model.queue.filter(({ expiresAt }) => expiresAt > world.clock.now()).map(({ id }) => id),
        );

        // In the end an agent comes that takes everything.
        const left = live(model);
        const taken: string[] = [];
        const taker = new SilentAgent();
        taker.answer = (offer) => {
          taken.push(offer.messageId);
          queueMicrotask(() => world.delivery.acknowledge(model.account, offer.messageId, { status: 'accepted' }));
          return Promise.resolve('sent');
        };
        world.delivery.route(model.account, taker);
        await rest();
        expect(taken).toEqual(left);
        expect(world.delivery.queue(model.account).pending).toBe(0);
        const counters = world.delivery.counters(model.account);
        const ends = ['delivered', 'duplicate', 'rejected', 'expired', 'discarded'].map((name) => counters[name] ?? 0);
        expect(ends.reduce((sum, n) => sum + n, 0)).toBe(model.known.size);
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});

/** What is pending and has not outlived its time. */
function live(model: Model): string[] {
  const now = world.clock.now();
  return world.delivery
    .pending(model.account, 1_000)
    .filter(({ expiresAt }) => expiresAt > now)
    .map(({ messageId }) => messageId);
}
