import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeNetwork, openWorld, type World } from '../../test/support/delivery-world.js';
import { settle } from '../../test/support/manual-clock.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import type { OutboundPart, Receipt } from '../targets/target.js';
import type { OutboundRequest, OutboundVerdict } from './delivery.js';

/** Several answers at once, on a disk that refuses and takes again at any moment, with everything else that may happen meanwhile. */

let world: World;
let runs = 0;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.end();
});

type Fault = 'none' | 'busy' | 'down' | 'lost-before' | 'lost-after';

/** How long something lets others run before the next: promises only, so that both meet in one transaction, or whole turns. */
interface Pause {
  readonly promises: number;
  readonly turns: number;
}

const NONE: Pause = { promises: 0, turns: 0 };

type Command = { readonly pause: Pause } & (
  | { readonly kind: 'send'; readonly id: number }
  | { readonly kind: 'disk'; readonly refuse: boolean }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'crash' }
);

const pause = fc.oneof(
  { weight: 3, arbitrary: fc.record({ promises: fc.nat(40), turns: fc.constant(0) }) },
  { weight: 2, arbitrary: fc.record({ promises: fc.constant(0), turns: fc.nat(6) }) },
);
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('send'), id: fc.nat(3), pause }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('disk'), refuse: fc.boolean(), pause }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 1_000, 2_000), pause }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash'), pause }) },
);
const life = fc.record({
  commands: fc.array(command, { minLength: 10, maxLength: 60 }),
  faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'none', 'busy', 'down', 'lost-before', 'lost-after'), {
    maxLength: 12,
  }),
});

/**
 * What the disk had refused of the first try is repeated in the transaction in which the second one says that its part is at the
 * network now; and there the program dies.
 */
const MET_IN_ONE_TRANSACTION: { commands: Command[]; faults: Fault[] } = {
  commands: [
    { kind: 'disk', refuse: true, pause: NONE },
    { kind: 'send', id: 0, pause: { promises: 0, turns: 4 } },
    { kind: 'send', id: 0, pause: NONE },
    { kind: 'wait', ms: 2_000, pause: NONE },
    { kind: 'disk', refuse: false, pause: NONE },
    { kind: 'send', id: 0, pause: { promises: 0, turns: 1 } },
    { kind: 'send', id: 0, pause: NONE },
    { kind: 'send', id: 0, pause: NONE },
    { kind: 'wait', ms: 1, pause: NONE },
    { kind: 'crash', pause: NONE },
    { kind: 'send', id: 0, pause: NONE },
    { kind: 'wait', ms: 1, pause: NONE },
    { kind: 'wait', ms: 1, pause: NONE },
  ],
  faults: [],
};

/** A network that needs a turn for each call, so that a crash may come before the part, or between it and its answer. */
class SlowNetwork extends FakeNetwork {
  constructor(private readonly script: Fault[]) {
    super();
  }

  override async send(part: OutboundPart, key: string): Promise<Receipt> {
    const fault = this.script.shift() ?? 'none';
    await settle(1);
    if (fault === 'busy') throw new TargetRefusal('busy', 'busy', { retryable: true });
    if (fault === 'down') throw new TransportError('down', 'down', { effect: 'none' });
    if (fault === 'lost-before') throw new TransportError('lost', 'lost', { effect: 'unknown' });
    const receipt = await super.send(part, key);
    await settle(1);
    if (fault === 'lost-after') throw new TransportError('lost', 'lost', { effect: 'unknown' });
    return receipt;
  }
}

/** One agent with a few answers, which it repeats until it knows their end. */
class Agent {
  readonly network: SlowNetwork;
  readonly account: string;
  readonly verdicts = new Map<number, OutboundVerdict>();

  constructor(faults: readonly Fault[]) {
    runs += 1;
    this.account = `acc_${String(runs)}`;
    this.network = new SlowNetwork([...faults]);
    world.delivery.attach(this.account, this.network);
  }

  request(id: number): OutboundRequest {
    const text = `${String(id)}.0|${String(id)}.1`;
    const channelId = `cch_${this.account}`;
    return { kind: 'message', channelId, accountId: this.account, id: String(id), text, files: [] };
  }

  send(id: number): void {
    const { store } = world;
    void world.delivery.deliver(this.request(id)).then((verdict) => {
      if (!store.dead && isFinal(verdict)) this.verdicts.set(id, verdict);
    });
  }

  crash(): void {
    world = world.crash();
    world.delivery.attach(this.account, this.network);
  }

  rows(): { state: string; n: number }[] {
    const text = 'SELECT state, COUNT(*) AS n FROM ledger WHERE channel_id = ? GROUP BY state';
    return world.store.sql.prepare(text).all(`cch_${this.account}`) as { state: string; n: number }[];
  }
}

function isFinal(verdict: OutboundVerdict): boolean {
  return verdict.status !== 'rejected' || !verdict.retryable;
}

async function paused({ promises, turns }: Pause): Promise<void> {
  for (let i = 0; i < promises; i += 1) await Promise.resolve();
  await settle(turns);
}

async function run(agent: Agent, step: Command): Promise<void> {
  const others = (): Promise<void> => paused(step.pause);
  if (step.kind === 'send') agent.send(step.id);
  else if (step.kind === 'disk') world.store.refuse = step.refuse ? 'disk_full' : undefined;
  else if (step.kind === 'wait') await world.clock.advance(step.ms, others);
  else agent.crash();
  await others();
}

describe('given any life of answers on a disk that refuses', () => {
  it('then no part is there twice or out of order, each answer has one end, and the disk and the counters say the same', async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ commands, faults }) => {
        const agent = new Agent(faults);
        for (const step of commands) await run(agent, step);

        world.store.refuse = undefined;
        const ids = new Set(commands.flatMap((step) => (step.kind === 'send' ? [step.id] : [])));
        for (const id of ids) {
          // Once more than it takes: a known end stands.
          for (let tries = 0, last = false; tries < 8 && !last; tries += 1) {
            last = agent.verdicts.has(id);
            agent.send(id);
            await world.clock.advance(60_000);
          }
          const known = agent.verdicts.get(id);
          expect(known).toBeDefined();
          const parts = agent.network.texts.filter((text) => text.startsWith(`${String(id)}.`));
          const all = [`${String(id)}.0`, `${String(id)}.1`];
          expect(parts).toEqual(known?.status === 'rejected' ? all.slice(0, parts.length) : all);
        }

        const { sent = 0, in_doubt: inDoubt = 0 } = world.delivery.counters(agent.account);
        const rows = Object.fromEntries(agent.rows().map(({ state, n }) => [state, n]));
        expect({ sent, inDoubt }).toEqual({ sent: rows['completed'] ?? 0, inDoubt: rows['unknown'] ?? 0 });
        expect(sent + inDoubt).toBe(ids.size);
      }),
      { numRuns: 40, examples: [[MET_IN_ONE_TRANSACTION]] },
    );
  }, 120_000);
});
