import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, openWorld, rest, type World } from '../../test/support/delivery-world.js';
import type { OutboundPart, Receipt } from '../targets/target.js';
import type { OutboundVerdict } from './delivery.js';

const A = 'acc_a';
let world: World;
let network: WritingNetwork;

/** Its conversation is a row of the store: the text that was sent last. */
class WritingNetwork extends FakeNetwork {
  readonly sendsByWriting = true;

  withdrawn = 0;

  constructor(private readonly show: (text: string) => void) {
    super();
  }

  override async send(part: OutboundPart, key: string): Promise<Receipt> {
    const text = part.kind === 'text' ? part.text : part.file.filename;
    const write = {
      consumer: 'own',
      state: { chat: text },
      done: () => this.show(text),
      failed: () => (this.withdrawn += 1),
    };
    return { ...(await super.send(part, key)), write };
  }
}

describe('given a network that is the store itself', () => {
  const shown: string[] = [];
  const deliver = (id: string, text: string): Promise<OutboundVerdict> =>
    world.delivery.deliver({ kind: 'message', channelId: 'cch_a', accountId: A, id, text, files: [] });
  const kept = (): string | undefined => world.delivery.intake.state('own', 'chat');

  beforeEach(async () => {
    shown.length = 0;
    world = await openWorld();
    network = new WritingNetwork((text) => shown.push(text));
    world.delivery.attach(A, network);
  });
  afterEach(() => world.end());

  it('then all parts and the record that they are sent are one write, and are shown after it', async () => {
    let steps = 0;
    world.store.step = () => {
      steps += 1;
      if (steps === 1) expect(shown).toEqual([]);
    };
    expect(await deliver('m', 'one|two')).toEqual({ status: 'accepted', messageIds: ['n1', 'n2'] });
    // Before and after the one write.
    expect(steps).toBe(2);
    expect(kept()).toBe('two');
    expect(shown).toEqual(['one', 'two']);
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });

  it('when the disk refuses, then nothing is there and the agent may repeat it', async () => {
    world.store.refuse = 'disk_full';
    expect(await deliver('m', 'one')).toMatchObject({ status: 'rejected', code: 'internal_error', retryable: true });
    expect([kept(), shown, network.withdrawn]).toEqual([undefined, [], 1]);
    world.store.refuse = undefined;
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
    expect([kept(), shown, network.withdrawn]).toEqual(['one', ['one'], 1]);
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });

  it.each([
    { when: 'before the write', at: 1, status: 'accepted' },
    { when: 'after it', at: 2, status: 'duplicate' },
  ])('when the program is killed $when, then it is there exactly when its record is', async ({ at, status }) => {
    let steps = 0;
    world.store.step = () => {
      steps += 1;
      if (steps === at) world.store.dead = true;
    };
    void deliver('m', 'one');
    await rest();
    world = world.crash();
    world.delivery.attach(A, network);
    expect(kept()).toBe(status === 'duplicate' ? 'one' : undefined);
    expect(await deliver('m', 'one')).toMatchObject({ status });
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });
});
