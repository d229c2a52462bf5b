import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, openWorld, rest, type World } from '../../test/support/delivery-world.js';
import { TransportError } from '../base/errors.js';
import { quietLog } from '../../test/support/quiet-log.js';
import { Counters } from './counters.js';
import type { OutboundRequest, OutboundVerdict } from './delivery.js';
import { Ledger, type LedgerEntry } from './ledger.js';
import type { WriteBehind } from './write-behind.js';

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
describe('given the disk refuses', () => {
  it('then nothing is sent that could not be remembered, and the agent may come again', async () => {
    world.store.refuse = 'disk_full';
    expect(await deliver('m', 'one')).toMatchObject({ status: 'rejected', code: 'internal_error', retryable: true });
    expect(network.sent).toEqual([]);
    world.store.refuse = undefined;
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
  });

  it('when it refuses after a part was sent, then that part is not sent again', async () => {
    const send = network.send.bind(network);
    network.send = async (part, key) => {
      const receipt = await send(part, key);
      world.store.refuse = 'disk_full';
      return receipt;
    };
    expect(await deliver('m', 'one|two')).toMatchObject({ code: 'internal_error', retryable: true });
    network.send = send;
    world.store.refuse = undefined;
    expect(await deliver('m', 'one|two')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one', 'two']);
  });

  it('when it refuses the record of a completed message, then it is accepted, remembered and written later', async () => {
    const send = network.send.bind(network);
    network.send = async (part, key) => {
      world.store.refuse = 'disk_full';
      return send(part, key);
    };
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
    expect(await deliver('m', 'one')).toMatchObject({ status: 'duplicate' });
    world.store.refuse = undefined;
    await world.clock.advance(1_000);
    restart();
    expect(await deliver('m', 'one')).toMatchObject({ status: 'duplicate' });
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });
});

describe('given a state that the disk refused, and a later one that it takes', () => {
  const former: LedgerEntry = {
    channelId: 'cch_a',
    entryId: 'm:m',
    contentHash: 'hash',
    state: 'sending',
    partsSent: 1,
    inDoubt: false,
    detail: { accountId: A, messageIds: [] },
  };
  const later: LedgerEntry = { ...former, inDoubt: true };
  let ledger: Ledger;
  let repeat: () => Promise<void>;

  beforeEach(async () => {
    const { store } = world;
    const writeBehind: Pick<WriteBehind, 'run'> = {
      run: (write) => {
        repeat = write;
        return Promise.resolve();
      },
    };
    ledger = new Ledger({
      store,
      counters: new Counters(store),
      writeBehind: writeBehind as WriteBehind,
      now: () => 0,
      log: quietLog,
    });
    store.refuse = 'disk_full';
    await ledger.record(former, 'sent');
    store.refuse = undefined;
  });

  it('when the former is repeated in the transaction of the later one, then the later one stays, and the count is paid', async () => {
    const saving = ledger.save(later);
    await Promise.all([saving, repeat()]);
    expect(ledger.find('cch_a', 'm:m')).toMatchObject({ inDoubt: true });
    expect(new Counters(world.store).of(A)).toEqual({ sent: 1 });
  });

  it('when the former is repeated in the transaction in which its channel is forgotten, then nothing of it comes back', async () => {
    await Promise.all([ledger.forget('cch_a'), repeat()]);
    expect(ledger.find('cch_a', 'm:m')).toBeUndefined();
  });

  it('when the later one is undone, then the former is written', async () => {
    const saving = ledger.save(later, undefined, () => {
      throw new Error('undone');
    });
    await expect(saving).rejects.toThrow('undone');
    expect(ledger.find('cch_a', 'm:m')).toMatchObject({ inDoubt: false });
    await repeat();
    expect(new Ledger({ ...parts(), store: world.store }).find('cch_a', 'm:m')).toMatchObject({ partsSent: 1 });
  });

  function parts(): Omit<ConstructorParameters<typeof Ledger>[0], 'store'> {
    const counters = new Counters(world.store);
    return { counters, writeBehind: { run: repeat } as unknown as WriteBehind, now: () => 0, log: quietLog };
  }
});

describe('given the ledger is bounded', () => {
  it('then what is older than its time is forgotten', async () => {
    await deliver('m', 'one');
    world.clock.skip(world.options.ledger.ttlMs + 1);
    await world.clock.advance(60_000);
    expect(rows()).toEqual([]);
  });

  it('then above its capacity the oldest finished go first, and what is in doubt stays', async () => {
    world = world.crash({ ledger: { ttlMs: 604_800_000, capacityPerChannel: 2 } });
    world.delivery.attach(A, network);
    network.faults.push(lostAfter);
    await deliver('doubt', 'x');
    for (const id of ['1', '2', '3']) {
      await world.clock.advance(10);
      await deliver(id, 'x');
    }
    await world.clock.advance(60_000);
    expect(rows()).toEqual(['m:3', 'm:doubt']);
  });

  it('when a channel is forgotten, then nothing of it is left', async () => {
    await deliver('m', 'one');
    await deliver('m', 'one', { channelId: 'cch_b' });
    await world.delivery.forgetChannel('cch_a');
    expect(rows()).toEqual(['m:m']);
    expect(await deliver('m', 'other')).toMatchObject({ status: 'accepted' });
  });

  it('when a channel is forgotten while something is under way on it, then that ends and leaves nothing', async () => {
    network.faults.push({ hang: true });
    const verdict = deliver('m', 'one');
    await rest();
    await world.delivery.forgetChannel('cch_a');
    expect(await verdict).toMatchObject({ code: 'delivery_unknown' });
    expect(rows()).toEqual([]);
  });

  function rows(): unknown[] {
    const found: unknown[] = world.store.sql.prepare('SELECT entry_id FROM ledger ORDER BY entry_id').all();
    return found.map((row) => (row as { entry_id: string }).entry_id);
  }
});

describe('given the program closes', () => {
  it('then the part at the network comes home and is recorded, and the rest is not begun', async () => {
    let open: () => void = () => undefined;
    network.gate = new Promise((resolve) => (open = resolve));
    const verdict = deliver('m', 'one|two');
    await rest();
    const closing = world.delivery.close();
    await world.clock.advance(1_000);
    open();
    await closing;
    expect(await verdict).toMatchObject({ code: 'target_unreachable', retryable: true });
    expect(await deliver('n', 'new')).toMatchObject({ code: 'target_unreachable', retryable: true });
    restart();
    expect(await deliver('m', 'one|two')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one', 'two']);
  });

  it('when the network does not answer, then that is not waited for longer than the program may take', async () => {
    network.faults.push({ hang: true });
    const verdict = deliver('m', 'one');
    await rest();
    const closing = world.delivery.close();
    await world.clock.advance(3_500);
    await closing;
    expect(await verdict).toMatchObject({ code: 'delivery_unknown' });
    restart();
    expect(await deliver('m', 'one')).toMatchObject({ code: 'delivery_unknown' });
  });
});

describe('given the detail of an entry was damaged on the disk', () => {
  const damage = (): Promise<void> => world.store.write((sql) => void sql.exec(`UPDATE ledger SET detail = '{"acc'`));

  it('then a completed message is a duplicate all the same', async () => {
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
    await damage();
    restart();
    expect(await deliver('m', 'one')).toEqual({ status: 'duplicate', messageIds: [] });
    expect(network.texts).toEqual(['one']);
  });

  it('then a part in doubt is not sent again, and the agent is told so', async () => {
    network.faults.push(lostAfter);
    expect(await deliver('m', 'one')).toMatchObject({ status: 'rejected' });
    await damage();
    restart();
    expect(await deliver('m', 'one')).toMatchObject({ status: 'rejected', code: 'delivery_unknown', retryable: false });
    expect(network.texts).toEqual(['one']);
  });

  it('then the parts that are there are not sent again', async () => {
    network.faults.push({}, { before: new TransportError('down', 'down', { effect: 'none' }) });
    expect(await deliver('m', 'one|two')).toMatchObject({ status: 'rejected', retryable: true });
    await damage();
    restart();
    expect(await deliver('m', 'one|two')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one', 'two']);
    expect(world.delivery.counters(A)).toEqual({ sent: 1 });
  });

  it('then an account still opens and the next message goes out', async () => {
    expect(await deliver('m', 'one')).toMatchObject({ status: 'accepted' });
    await damage();
    restart();
    expect(await deliver('n', 'two')).toMatchObject({ status: 'accepted' });
  });
});
