import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeNetwork, never, openWorld, rest, type World } from '../../test/support/delivery-world.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import type { OutboundPart, Receipt } from '../targets/target.js';
import type { OutboundVerdict } from './delivery.js';

/** Answers through crashes and faults at every place where the program waits for the disk or the network. */

let world: World;
let runs = 0;

beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.end();
});

type Fault = 'none' | 'refuse' | 'busy' | 'down' | 'lost-before' | 'lost-after';

/** A network in which the program may be killed just before a part arrives and just after. */
class MortalNetwork extends FakeNetwork {
  readonly arrivals: string[] = [];
  readonly script: Fault[];
  step: () => boolean = () => false;

  constructor(script: Fault[]) {
    super();
    this.script = script;
  }

  override async send(part: OutboundPart, key: string): Promise<Receipt> {
    if (this.step()) return never();
    await Promise.resolve();
    const fault = this.script.shift() ?? 'none';
    if (fault === 'refuse') throw new TargetRefusal('no', 'no', { retryable: false });
    if (fault === 'busy') throw new TargetRefusal('busy', 'busy', { retryable: true });
    if (fault === 'down') throw new TransportError('down', 'down', { effect: 'none' });
    if (fault === 'lost-before') throw new TransportError('lost', 'lost', { effect: 'unknown' });
    const receipt = await super.send(part, key);
    this.arrivals.push(part.kind === 'text' ? part.text : '');
    if (this.step()) return never();
    if (fault === 'lost-after') throw new TransportError('lost', 'lost', { effect: 'unknown' });
    return receipt;
  }
}

const life = fc.record({
  parts: fc.integer({ min: 1, max: 4 }),
  idempotent: fc.boolean(),
  /** For each run of the program, after how many steps it is killed; a step is either side of a write or a call. */
  kills: fc.array(fc.integer({ min: 1, max: 14 }), { maxLength: 3 }),
  faults: fc.array(
    fc.constantFrom<Fault>('none', 'none', 'none', 'none', 'busy', 'down', 'lost-before', 'lost-after', 'refuse'),
    { maxLength: 8 },
  ),
});

describe('given any life of an answer', () => {
  it('then no part is at the network twice, parts are in order, and what is accepted is there in full', async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ parts, idempotent, kills, faults }) => {
        runs += 1;
        const accountId = `acc_${String(runs)}`;
        const network = new MortalNetwork([...faults]);
        network.idempotentSends = idempotent;
        const texts = Array.from({ length: parts }, (_, index) => `part ${String(index)}`);
        const request = {
          kind: 'message' as const,
          channelId: `cch_${String(runs)}`,
          accountId,
          id: 'm',
          text: texts.join('|'),
          files: [],
        };
        const unclear = faults.some((fault) => fault.startsWith('lost'));

        let last: OutboundVerdict | undefined;
        const mortality = [...kills, ...Array.from({ length: 12 }, () => 0)];
        for (const kill of mortality) {
          arm(network, kill);
          world.delivery.attach(accountId, network);
          last = await outcome(world.delivery.deliver(request));
          if (last === undefined || kill > 0) restart(network);
          if (last && (last.status !== 'rejected' || !last.retryable)) break;
        }

        const arrived = network.sent.map(({ part }) => (part.kind === 'text' ? part.text : ''));
        expect(arrived).toEqual(texts.slice(0, arrived.length));
        if (!idempotent) expect(network.arrivals).toEqual(arrived);
        if (last?.status === 'rejected') {
          if (last.code === 'delivery_unknown') expect(idempotent ? false : unclear || kills.length > 0).toBe(true);
          else expect(last.code).toBe('no');
        } else {
          expect(last).toBeDefined();
          expect(arrived).toEqual(texts);
        }
        // Whatever the verdict was, it stands.
        restart(network);
        world.delivery.attach(accountId, network);
        const calls = network.arrivals.length;
        const again = await outcome(world.delivery.deliver(request));
        expect(again).toMatchObject(last?.status === 'rejected' ? last : { status: 'duplicate' });
        expect(network.arrivals.length).toBe(calls);
      }),
      { numRuns: 150 },
    );
  }, 120_000);
});

function arm(network: MortalNetwork, kill: number): void {
  let left = kill;
  const { store } = world;
  const step = (): boolean => {
    left -= 1;
    if (left === 0) store.dead = true;
    return store.dead;
  };
  store.step = kill > 0 ? step : () => undefined;
  network.step = kill > 0 ? step : () => false;
}

function restart(network: MortalNetwork): void {
  network.step = () => false;
  world = world.crash();
}

/** The verdict, or undefined when the program died before it could give one. */
async function outcome(verdict: Promise<OutboundVerdict>): Promise<OutboundVerdict | undefined> {
  let came: OutboundVerdict | undefined;
  void verdict.then((value) => (came = value));
  for (let second = 0; second < 60; second += 1) {
    await rest();
    if (came !== undefined || world.store.dead) return came;
    await world.clock.advance(1_000);
  }
  return came;
}
