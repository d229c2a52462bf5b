import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, never, openWorld, rest, type World } from '../../test/support/delivery-world.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import type { OutboundVerdict } from './delivery.js';

const A = 'acc_a';
let world: World;
let network: PreparingNetwork;

/** A network whose spacing and uploads come before the call that counts. */
class PreparingNetwork extends FakeNetwork {
  readonly preparations: { before?: Error; hang?: boolean }[] = [];

  async prepare(): Promise<void> {
    const fault = this.preparations.shift();
    if (fault?.hang) return never();
    if (fault?.before !== undefined) throw fault.before;
  }
}

beforeEach(async () => {
  world = await openWorld();
  network = new PreparingNetwork();
  world.delivery.attach(A, network);
});
afterEach(async () => {
  await world.end();
});

function deliver(id: string, text: string): Promise<OutboundVerdict> {
  return world.delivery.deliver({ kind: 'message', channelId: 'cch_a', accountId: A, id, text, files: [] });
}

function restart(): void {
  world = world.crash();
  world.delivery.attach(A, network);
}

describe('given a network that does without effect what can be done beforehand', () => {
  it('when the program died while a part waits for its turn, then nothing is in doubt and a repeat goes on there', async () => {
    network.preparations.push({}, { hang: true });
    void deliver('m', 'one|two');
    await rest();
    expect(network.texts).toEqual(['one']);
    restart();
    network.preparations.length = 0;
    expect(await deliver('m', 'one|two')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one', 'two']);
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });

  it('when that fails in whatever way, then nothing was sent and the agent may repeat it', async () => {
    network.preparations.push({ before: new TransportError('lost', 'lost', { effect: 'unknown' }) });
    expect(await deliver('m', 'one')).toMatchObject({ code: 'target_unreachable', retryable: true });
    network.preparations.push({ before: new TargetRefusal('no', 'no', { retryable: false }) });
    expect(await deliver('n', 'one')).toMatchObject({ code: 'no', retryable: false });
    expect(network.texts).toEqual([]);
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
  });

  it('when the program closes meanwhile, then nothing is in doubt either', async () => {
    network.preparations.push({ hang: true });
    const verdict = deliver('m', 'one');
    await rest();
    const closed = world.delivery.close();
    await world.clock.advance(5_000);
    await closed;
    expect(await verdict).toMatchObject({ code: 'target_unreachable', retryable: true });
    expect(network.texts).toEqual([]);
  });
});
