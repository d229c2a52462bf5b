import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, openWorld, rest, type World } from '../../test/support/delivery-world.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import type { OutboundRequest, OutboundVerdict } from './delivery.js';

const A = 'acc_a';
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

function answer(id: string, text: string, more: Partial<OutboundRequest> = {}): OutboundRequest {
  return { kind: 'message', channelId: 'cch_a', accountId: A, id, text, files: [], ...more };
}

function deliver(id: string, text: string, more: Partial<OutboundRequest> = {}): Promise<OutboundVerdict> {
  return world.delivery.deliver(answer(id, text, more));
}

function restart(): void {
  world = world.crash();
  world.delivery.attach(A, network);
}

const lostAfter = { after: new TransportError('reset', 'reset', { effect: 'unknown' }) };
const down = { before: new TransportError('down', 'down', { effect: 'none' }) };
const busy = (retryAfterMs?: number) => ({
  before: new TargetRefusal('rate_limited', 'too fast', {
    retryable: true,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }),
});
const forbidden = { before: new TargetRefusal('forbidden', 'no', { retryable: false }) };

describe('given an answer that the network takes', () => {
  it('then it is accepted once all its parts are there, and every repeat is a duplicate, after a restart too', async () => {
    const first = { status: 'accepted', messageIds: ['n1', 'n2'] };
    const repeat = { status: 'duplicate', messageIds: ['n1', 'n2'] };
    expect(await deliver('m', 'one|two')).toEqual(first);
    expect(await deliver('m', 'one|two')).toEqual(repeat);
    restart();
    expect(await deliver('m', 'one|two')).toEqual(repeat);
    expect(network.texts).toEqual(['one', 'two']);
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });

  it('when the account is offline, then a repeat is a duplicate all the same', async () => {
    await deliver('m', 'one');
    world.delivery.attach(A, undefined);
    expect(await deliver('m', 'one')).toMatchObject({ status: 'duplicate' });
  });

  it('when its id comes with other content, then that is a conflict and the network is not asked', async () => {
    await deliver('m', 'one');
    const conflict = { status: 'rejected', code: 'message_id_conflict', retryable: false };
    expect(await deliver('m', 'two')).toMatchObject(conflict);
    expect(network.texts).toEqual(['one']);
  });

  it('when the same file was uploaded again for the repeat, then it is the same message; other bytes are not', async () => {
    const upload = (bytes: string) => world.files.take(Buffer.from(bytes), { cardId: 'im.test', filename: bytes });
    await deliver('m', 'see', { files: [upload('a'), upload('b')] });
    expect(await deliver('m', 'see', { files: [upload('a'), upload('b')] })).toMatchObject({ status: 'duplicate' });
    const conflict = { code: 'message_id_conflict' };
    expect(await deliver('m', 'see', { files: [upload('b'), upload('a')] })).toMatchObject(conflict);
    expect(await deliver('m', 'see', { files: [upload('a')] })).toMatchObject(conflict);
  });

  it('when a tool call has the same key, then that is another thing, with a conflict of its own', async () => {
    await deliver('x', 'one');
    expect(await deliver('x', 'two', { kind: 'tool' })).toMatchObject({ status: 'accepted' });
    expect(await deliver('x', 'three', { kind: 'tool' })).toMatchObject({
      code: 'idempotency_conflict',
      retryable: false,
    });
  });

  it('when the same id is used on another channel, then that is another message', async () => {
    await deliver('m', 'one');
    expect(await deliver('m', 'two', { channelId: 'cch_b' })).toMatchObject({ status: 'accepted' });
  });
});

describe('given an answer is under way', () => {
  let open: () => void;
  beforeEach(() => {
    network.gate = new Promise((resolve) => (open = resolve));
  });

  it('when it is repeated, then both get the outcome of the one sending, and only the first is accepted', async () => {
    const both = [deliver('m', 'one'), deliver('m', 'one')];
    await rest();
    open();
    expect(await Promise.all(both)).toEqual([
      { status: 'accepted', messageIds: ['n1'] },
      { status: 'duplicate', messageIds: ['n1'] },
    ]);
    expect(network.texts).toEqual(['one']);
  });

  it('when it is repeated with other content, then that is a conflict at once', async () => {
    const first = deliver('m', 'one');
    await rest();
    expect(await deliver('m', 'two')).toMatchObject({ code: 'message_id_conflict' });
    open();
    expect(await first).toMatchObject({ status: 'accepted' });
  });

  it('when it fails, then whoever joined gets the same rejection', async () => {
    network.faults.push(forbidden);
    const both = [deliver('m', 'one'), deliver('m', 'one')];
    open();
    const rejection = { status: 'rejected', code: 'forbidden', retryable: false };
    expect(await Promise.all(both)).toMatchObject([rejection, rejection]);
  });

  it('when others follow, then the parts of two answers never mix, and another account does not wait', async () => {
    const other = new FakeNetwork();
    world.delivery.attach('acc_b', other);
    const own = [deliver('1', 'a|b|c'), deliver('2', 'd|e'), deliver('3', 'f', { kind: 'tool' })];
    expect(await deliver('1', 'z', { accountId: 'acc_b', channelId: 'cch_b' })).toMatchObject({ status: 'accepted' });
    open();
    await Promise.all(own);
    expect(network.texts).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(other.texts).toEqual(['z']);
  });
});

describe('given the network refuses', () => {
  it('when for good, then the refusal stands: a repeat gets the same answer without another call', async () => {
    network.faults.push(forbidden);
    const refused = { status: 'rejected', code: 'forbidden', message: 'no', retryable: false };
    expect(await deliver('m', 'one')).toEqual(refused);
    restart();
    expect(await deliver('m', 'one')).toEqual(refused);
    expect(network.sent).toEqual([]);
    expect(world.delivery.counters(A)).toEqual({ send_refused: 1 });
  });

  it('when it can not take the message at all, then that stands as well', async () => {
    network.plan = () => {
      throw new TargetRefusal('file_too_large', 'too large', { retryable: false });
    };
    expect(await deliver('m', 'one')).toMatchObject({ code: 'file_too_large', retryable: false });
    expect(await deliver('m', 'other')).toMatchObject({ code: 'message_id_conflict' });
  });

  it('when it is asked too fast, then the wait it names is waited and nothing is told to the agent', async () => {
    network.faults.push(busy(3_000));
    const verdict = deliver('m', 'one');
    await world.clock.advance(2_999);
    expect(network.sent).toEqual([]);
    await world.clock.advance(1);
    expect(await verdict).toMatchObject({ status: 'accepted' });
  });

  it('when the wait is long, then the agent is told to come again', async () => {
    network.faults.push(busy(21_000));
    expect(await deliver('m', 'one')).toMatchObject({ status: 'rejected', code: 'rate_limited', retryable: true });
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
  });

  it('when it stays busy, then the agent has its answer within a minute', async () => {
    network.faults.push(busy(20_000), busy(20_000), busy(20_000), busy(20_000));
    let verdict: OutboundVerdict | undefined;
    void deliver('m', 'one').then((came) => (verdict = came));
    await world.clock.advance(59_000);
    expect(verdict).toMatchObject({ status: 'rejected', code: 'rate_limited', retryable: true });
  });

  it('when the program dies while it waits for the network, then nothing is in doubt', async () => {
    network.faults.push(busy(10_000));
    void deliver('m', 'one');
    await world.clock.advance(1_000);
    restart();
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one']);
  });
});

describe('given the network is away', () => {
  it('when the account has no session, then the answer is rejected for now and leaves no trace', async () => {
    world.delivery.attach(A, undefined);
    expect(await deliver('m', 'one')).toMatchObject({ code: 'target_unreachable', retryable: true });
    world.delivery.attach(A, network);
    expect(await deliver('m', 'other')).toMatchObject({ status: 'accepted' });
  });

  it('when it goes away between parts, then a repeat goes on at the first part that is not there, after a restart too', async () => {
    network.faults.push({}, {}, down);
    expect(await deliver('m', 'a|b|c|d')).toMatchObject({ code: 'target_unreachable', retryable: true });
    restart();
    expect(await deliver('m', 'a|b|c|d')).toEqual({ status: 'accepted', messageIds: ['n1', 'n2', 'n3', 'n4'] });
    expect(network.texts).toEqual(['a', 'b', 'c', 'd']);
  });

  it('when a half-sent answer is repeated with other content, then that is a conflict', async () => {
    network.faults.push({}, down);
    await deliver('m', 'a|b');
    expect(await deliver('m', 'a|c')).toMatchObject({ code: 'message_id_conflict', retryable: false });
  });

  it('when the session ends between parts, then the rest waits for the next one', async () => {
    const send = network.send.bind(network);
    network.send = async (part, key) => {
      const receipt = await send(part, key);
      if (network.sent.length === 1) world.delivery.attach(A, undefined);
      return receipt;
    };
    expect(await deliver('m', 'a|b')).toMatchObject({ code: 'target_unreachable', retryable: true });
    world.delivery.attach(A, network);
    expect(await deliver('m', 'a|b')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['a', 'b']);
  });
});

describe('given the channel has another account when an answer is repeated', () => {
  const B = 'acc_b';
  let other: FakeNetwork;
  beforeEach(() => {
    other = new FakeNetwork();
    world.delivery.attach(B, other);
  });

  it('when a part of it is at the former one, then the new one gets the whole answer, after a restart too', async () => {
    network.faults.push({}, down);
    expect(await deliver('m', 'a|b')).toMatchObject({ code: 'target_unreachable' });
    restart();
    world.delivery.attach(B, other);
    expect(await deliver('m', 'a|b', { accountId: B })).toEqual({ status: 'accepted', messageIds: ['n1', 'n2'] });
    expect(other.texts).toEqual(['a', 'b']);
    expect(network.texts).toEqual(['a']);
  });

  it('when it may be at the former one, then it is not sent to the new one, however safe repeats are there', async () => {
    network.idempotentSends = true;
    network.faults.push({ hang: true });
    void deliver('m', 'one');
    await rest();
    restart();
    other.idempotentSends = true;
    world.delivery.attach(B, other);
    expect(await deliver('m', 'one', { accountId: B })).toMatchObject({ code: 'delivery_unknown', retryable: false });
    expect(other.texts).toEqual([]);
  });
});

describe('given a call whose outcome is not known', () => {
  const unknown = { status: 'rejected', code: 'delivery_unknown', retryable: false };

  it('then the message is rejected for good, counted, and never sent again', async () => {
    network.faults.push(lostAfter);
    expect(await deliver('m', 'one')).toMatchObject(unknown);
    restart();
    expect(await deliver('m', 'one')).toMatchObject(unknown);
    expect(network.texts).toEqual(['one']);
    expect(world.delivery.counters(A)).toEqual({ in_doubt: 1 });
  });

  it('when the target failed in a way nobody foresaw, then that is in doubt as well', async () => {
    network.faults.push({ after: new TypeError('bug') });
    expect(await deliver('m', 'one')).toMatchObject(unknown);
  });

  it('when the call never ends, then it is given up after ten minutes', async () => {
    network.faults.push({ hang: true });
    const verdict = deliver('m', 'one');
    await world.clock.advance(600_000);
    expect(await verdict).toMatchObject(unknown);
  });

  it('when the network takes the same key only once, then the part is sent again under it', async () => {
    network.idempotentSends = true;
    network.faults.push({}, lostAfter, lostAfter);
    const verdict = deliver('m', 'one|two');
    await world.clock.advance(10_000);
    expect(await verdict).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one', 'two']);
  });

  it('when that does not help in time, then the agent may repeat it, and another kind of session may not', async () => {
    network.idempotentSends = true;
    network.faults.push(lostAfter, lostAfter, lostAfter, down);
    const verdict = deliver('m', 'one');
    await world.clock.advance(45_000);
    expect(await verdict).toMatchObject({ code: 'target_unreachable', retryable: true });
    // The last call surely had no effect, but the ones before may have had.
    network.idempotentSends = false;
    expect(await deliver('m', 'one')).toMatchObject(unknown);
    network.idempotentSends = true;
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one']);
  });

  it('when the program died during the call, then the message is in doubt, counted once, and not sent again', async () => {
    network.faults.push({}, { hang: true });
    void deliver('m', 'one|two');
    await rest();
    restart();
    expect(await deliver('m', 'one|two')).toMatchObject(unknown);
    restart();
    expect(await deliver('m', 'one|two')).toMatchObject(unknown);
    await rest();
    expect(world.delivery.counters(A)).toEqual({ in_doubt: 1 });
    expect(network.texts).toEqual(['one']);
  });

  it('when the program died during the call, then that is counted though no agent asks for it again', async () => {
    network.faults.push({ hang: true });
    void deliver('m', 'one');
    await rest();
    restart();
    await rest();
    expect(world.delivery.counters(A)).toEqual({ in_doubt: 1 });
  });

  it('when a repeat resolves it, then it was never in doubt', async () => {
    network.idempotentSends = true;
    network.faults.push({ hang: true });
    void deliver('m', 'one');
    await rest();
    restart();
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
    await rest();
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });

  it('when the program died during the call and the key makes a repeat safe, then the message is completed', async () => {
    network.idempotentSends = true;
    network.faults.push({}, { hang: true });
    void deliver('m', 'one|two');
    await rest();
    restart();
    expect(await deliver('m', 'one|two')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one', 'two']);
  });

  it('when the network remembers keys for a time only, then a repeat is safe just as long, counted from the first call', async () => {
    network.idempotentSends = true;
    network.idempotentForMs = 60_000;
    network.faults.push({ hang: true }, lostAfter, lostAfter, lostAfter, lostAfter);
    void deliver('m', 'one');
    await rest();
    restart();
    const repeat = deliver('m', 'one');
    await world.clock.advance(45_000);
    expect(await repeat).toMatchObject({ code: 'target_unreachable', retryable: true });
    await world.clock.advance(15_000);
    expect(await deliver('m', 'one')).toMatchObject(unknown);
  });

  it('when the repeat then surely had no effect, then the first may still have had one', async () => {
    network.idempotentSends = true;
    network.faults.push({ hang: true }, down);
    void deliver('m', 'one');
    await rest();
    restart();
    expect(await deliver('m', 'one')).toMatchObject({ code: 'target_unreachable', retryable: true });
    network.idempotentSends = false;
    expect(await deliver('m', 'one')).toMatchObject(unknown);
  });
});
