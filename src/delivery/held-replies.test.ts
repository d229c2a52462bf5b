import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, rest, type World } from '../../test/support/delivery-world.js';
import { ScarceNetwork } from '../../test/support/scarce-network.js';
import { TransportError } from '../base/errors.js';
import { prepared } from '../store/index.js';
import type { OutboundRequest, OutboundVerdict } from './delivery.js';
import { HELD_ANSWER_MS, HELD_MAX_MESSAGES, HELD_TTL_MS, MERGE_MAX_MS, MERGE_QUIET_MS } from './held-limits.js';
import { MAINTENANCE_MAX_INTERVAL_MS } from './maintenance.js';

const A = 'acc_a';
const CHANNEL = 'cch_a';
const ROUTE = { channelId: CHANNEL, accountId: A };
let world: World;
let network: ScarceNetwork;

beforeEach(async () => {
  world = await openWorld();
  network = new ScarceNetwork();
  world.delivery.attach(A, network);
});
afterEach(() => world.end());

function deliver(id: string, text: string, more: Partial<OutboundRequest> = {}): Promise<OutboundVerdict> {
  return world.delivery.deliver({ kind: 'message', ...ROUTE, id, text, files: [], ...more });
}
const tool = (id: string, text: string) => deliver(id, text, { kind: 'tool' });

function restart(): void {
  world = world.crash();
  world.delivery.attach(A, network);
}

/** The person writes, and everything that follows from it happens. */
async function written(remaining?: number): Promise<void> {
  network.renew(remaining);
  await rest();
}

/** Runs this while the next write to the disk is under way, and resolves as it does. */
function inNextWrite(run: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    world.store.step = () => {
      world.store.step = () => undefined;
      resolve(run());
    };
  });
}

async function passed(ms: number): Promise<void> {
  await world.clock.advance(ms);
  await rest();
}

const closed = { status: 'held', code: 'reply_window_closed' };
const scarce = { status: 'held', code: 'replies_scarce' };
const held = () => world.delivery.queue(A).heldReplies;

describe('given a closed reply window', () => {
  it('then an answer and a tool call are held without a call of the network, and sent once, in order, when the person writes', async () => {
    expect(await deliver('m1', 'one')).toMatchObject(closed);
    expect(await tool('t1', 'two')).toMatchObject(closed);
    expect(held()).toBe(2);
    expect(network.texts).toEqual([]);
    await written();
    expect(network.texts).toEqual(['one', 'two']);
    expect(held()).toBe(0);
    expect(await deliver('m1', 'one')).toMatchObject({ status: 'duplicate', messageIds: ['n1'] });
    expect(await tool('t1', 'two')).toMatchObject({ status: 'duplicate', messageIds: ['n2'] });
    await written();
    expect(network.texts).toEqual(['one', 'two']);
    expect(world.delivery.counters(A)).toEqual({ held: 2, sent: 2 });
  });

  it('then a repeat is told the same and kept once, and other content under its id is a conflict', async () => {
    await deliver('m1', 'one');
    expect(await deliver('m1', 'one')).toMatchObject(closed);
    expect(await deliver('m1', 'other')).toMatchObject({ code: 'message_id_conflict' });
    const recalled = world.delivery.recall({
      kind: 'message',
      channelId: CHANNEL,
      id: 'm1',
      text: 'one',
      fileRefs: [],
    });
    expect(await recalled).toMatchObject(closed);
    await written();
    expect(network.texts).toEqual(['one']);
  });

  it('then a record of it that can not be read any more is told, holds up nothing, and a repeat of it is sent once', async () => {
    await deliver('m1', 'one');
    await tool('t1', 'two');
    await world.store.write((sql) => prepared(sql, "UPDATE held SET body = '{' WHERE entry_id = 'm:m1'").run());
    restart();
    await rest();
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: 'm1', direction: 'outbound', outcome: 'discarded', reason: 'record_unreadable' },
    ]);
    expect(await deliver('m1', 'one')).toMatchObject(closed);
    await written();
    expect(network.texts).toEqual(['two', 'one']);
  });

  it('then one whose ledger entry is gone ends for good all the same', async () => {
    await deliver('m1', 'one');
    await world.store.write((sql) => void sql.exec('DELETE FROM ledger'));
    expect(await world.delivery.discard(A, 'm1')).toBe(true);
    await rest();
    restart();
    expect(held()).toBe(0);
  });

  it('then what is held survives a kill, and a kill after it was sent sends nothing again', async () => {
    await deliver('m1', 'one');
    restart();
    expect(held()).toBe(1);
    expect(await deliver('m1', 'one')).toMatchObject(closed);
    await written();
    expect(network.texts).toEqual(['one']);
    restart();
    await written();
    expect(network.texts).toEqual(['one']);
    expect(await deliver('m1', 'one')).toMatchObject({ status: 'duplicate' });
  });

  it('when the program dies while a held message is at the network, then it is in doubt, told so, and never sent again', async () => {
    await deliver('m1', 'one');
    network.faults.push({ hang: true });
    await written();
    restart();
    await rest();
    expect(held()).toBe(0);
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: 'm1', direction: 'outbound', outcome: 'rejected', reason: 'delivery_unknown', preview: '' },
    ]);
    expect(await deliver('m1', 'one')).toMatchObject({ code: 'delivery_unknown', retryable: false });
    await written();
    expect(network.texts).toEqual([]);
  });

  it('when the network can not be reached, then it is tried again without the person', async () => {
    await deliver('m1', 'one');
    network.faults.push({ before: new TransportError('down', 'down', { effect: 'none' }) });
    await written();
    expect(network.texts).toEqual([]);
    expect(held()).toBe(1);
    await passed(60_000);
    expect(network.texts).toEqual(['one']);
  });

  it('when the network still says no, then what was promised waits for the next message', async () => {
    await tool('t1', 'one');
    network.claims = 5;
    await written(0);
    expect(network.refusals).toBe(1);
    expect(held()).toBe(1);
    network.claims = undefined;
    await written();
    expect(network.texts).toEqual(['one']);
  });

  it('when a new answer comes while others wait, then it goes behind them', async () => {
    await deliver('m1', 'one|two|three');
    network.remaining = 2;
    expect(await deliver('m2', 'four')).toMatchObject(closed);
    await written();
    expect(network.texts).toEqual(['one', 'two', 'three', 'four']);
  });

  it('when they are more than the window takes, then they are merged, and the rest waits', async () => {
    for (let n = 1; n <= 12; n += 1) await deliver(`m${n}`, `${n}`);
    await written();
    expect(network.texts).toEqual([Array.from({ length: 12 }, (_, n) => `${n + 1}`).join('\n\n')]);
    expect(held()).toBe(0);
    expect(await deliver('m7', '7')).toMatchObject({ status: 'duplicate', messageIds: ['n1'] });
  });

  it('then a held message ends with its day, visibly and without its text, and its agent is told', async () => {
    await deliver('m1', 'secret');
    await tool('t1', 'words');
    await passed(HELD_TTL_MS);
    await passed(MAINTENANCE_MAX_INTERVAL_MS);
    expect(held()).toBe(0);
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: 't1', direction: 'outbound', outcome: 'expired', reason: 'reply_window_closed', preview: '' },
      { messageId: 'm1', direction: 'outbound', outcome: 'expired', reason: 'reply_window_closed', length: 6 },
    ]);
    const refused = { status: 'rejected', code: 'reply_window_closed', retryable: false };
    expect(await deliver('m1', 'secret')).toMatchObject(refused);
    expect(await tool('t1', 'words')).toMatchObject(refused);
    await written();
    expect(network.texts).toEqual([]);
    expect(world.delivery.counters(A)).toEqual({ held: 2, held_expired: 2 });
  });

  it('then only so many are kept, and one more is refused for good', async () => {
    for (let n = 0; n < HELD_MAX_MESSAGES; n += 1) await deliver(`m${n}`, 'x');
    expect(await deliver('one-more', 'x')).toMatchObject({ code: 'reply_window_closed', retryable: false });
    expect(held()).toBe(HELD_MAX_MESSAGES);
  });

  it('then the person sees them without text, and may discard one', async () => {
    await deliver('m1', 'secret');
    await tool('t1', 'words');
    expect(JSON.stringify(world.delivery.held(A, 10))).not.toMatch(/secret|words/);
    expect(world.delivery.held(A, 10)).toMatchObject([
      { messageId: 'm1', origin: 'answer', kind: 'text', length: 6, code: 'reply_window_closed' },
      { messageId: 't1', origin: 'tool' },
    ]);
    expect(await world.delivery.discard(A, 'm1')).toBe(true);
    expect(await world.delivery.discard(A, 'm1')).toBe(false);
    expect(await deliver('m1', 'secret')).toMatchObject({ code: 'discarded_by_person', retryable: false });
    await written();
    expect(network.texts).toEqual(['words']);
  });

  it('when the account signs out, then they end with it', async () => {
    await deliver('m1', 'one');
    world.delivery.attach(A, undefined);
    await world.delivery.forgetAccount(A, 'signed_out');
    await rest();
    expect(world.delivery.ended(A, 10)).toMatchObject([
      { messageId: 'm1', outcome: 'discarded', reason: 'signed_out' },
    ]);
    world.delivery.attach(A, network);
    await written();
    expect(network.texts).toEqual([]);
  });

  it('when the channel is forgotten, then they end with it, also over a restart', async () => {
    await deliver('m1', 'one');
    await world.delivery.forgetChannel(CHANNEL);
    restart();
    await written();
    expect(network.texts).toEqual([]);
    expect(world.delivery.ended(A, 10)).toMatchObject([{ messageId: 'm1', reason: 'channel_ended' }]);
  });

  it('when the channel is forgotten while a message is written down to be held, then it is not sent', async () => {
    const forgotten = inNextWrite(() => world.delivery.forgetChannel(CHANNEL));
    expect(await deliver('m1', 'one')).toMatchObject({ code: 'target_unreachable', retryable: true });
    await forgotten;
    expect(held()).toBe(0);
    await written();
    expect(network.texts).toEqual([]);
  });

  it.each([[[]], [['m1']]])(
    'when the account signs out while a message is written down to be held, behind %j, then it ends, visibly',
    async (before) => {
      for (const id of before) await deliver(id, 'one');
      const forgotten = inNextWrite(() => world.delivery.forgetAccount(A, 'signed_out'));
      await deliver('m2', 'two');
      await forgotten;
      await rest();
      expect(world.delivery.ended(A, 10).map(({ messageId }) => messageId)).toEqual([...before, 'm2'].reverse());
      expect(await deliver('m2', 'two')).toMatchObject({ code: 'connection_not_authenticated', retryable: false });
      expect(held()).toBe(0);
      restart();
      await written();
      expect(network.texts).toEqual([]);
    },
  );

  it('when a channel is forgotten while a message of another ends, then its own are not sent', async () => {
    const file = world.files.take(Buffer.from('x'), { cardId: 'im.test', filename: 'x' });
    await deliver('m1', 'see', { files: [file] });
    await deliver('m2', 'two', { channelId: 'cch_b' });
    await deliver('m3', 'three');
    world.files.files.clear();
    const forgotten = inNextWrite(() => world.delivery.forgetChannel('cch_b'));
    await written();
    await forgotten;
    expect(network.texts).toEqual(['three']);
    expect(await deliver('m3', 'three')).toMatchObject({ status: 'duplicate' });
    expect(held()).toBe(0);
  });

  it('when a file of it expires first, then it ends with the file', async () => {
    const file = world.files.take(Buffer.from('x'), { cardId: 'im.test', filename: 'x' });
    await deliver('m1', 'see', { files: [file] });
    world.files.files.clear();
    await written();
    expect(network.texts).toEqual([]);
    expect(world.delivery.ended(A, 10)).toMatchObject([{ messageId: 'm1', reason: 'file_ref_not_found' }]);
  });
});

describe('given a network that says no though replies seemed left', () => {
  it('then an answer is refused for good, and a tool call is held', async () => {
    network.claims = 5;
    expect(await deliver('m1', 'one')).toMatchObject({ status: 'rejected', code: 'reply_window', retryable: false });
    expect(await tool('t1', 'two')).toMatchObject({ status: 'held', code: 'reply_window' });
    await written();
    expect(network.texts).toEqual(['two']);
  });
});

describe('given few replies', () => {
  beforeEach(() => {
    network.remaining = 2;
  });

  it('then messages of one run become one, each with its own verdict, once the run is over', async () => {
    const first = deliver('m1', 'one');
    await rest();
    world.delivery.activity(ROUTE, { status: 'tool', toolName: 'search', since: 0 });
    await passed(MERGE_QUIET_MS + 1);
    expect(network.texts).toEqual([]);
    const second = deliver('m2', 'two');
    await rest();
    world.delivery.activity(ROUTE, { status: 'idle' });
    await rest();
    expect(network.texts).toEqual(['one\n\ntwo']);
    expect(await first).toMatchObject({ status: 'accepted', messageIds: ['n1'] });
    expect(await second).toMatchObject({ status: 'accepted', messageIds: ['n1'] });
    expect(network.remaining).toBe(1);
  });

  it('then an answer after which nothing comes goes out after a short silence', async () => {
    const only = deliver('m1', 'one');
    await passed(MERGE_QUIET_MS + 1);
    expect(await only).toMatchObject({ status: 'accepted' });
  });

  it('then a tool call is held for the answer of its run, and both take one reply', async () => {
    network.remaining = 1;
    world.delivery.activity(ROUTE, { status: 'tool', toolName: 'send', since: 0 });
    expect(await tool('t1', 'notice')).toMatchObject(scarce);
    await passed(MERGE_MAX_MS);
    expect(network.texts).toEqual([]);
    const final = deliver('m1', 'answer');
    await passed(MERGE_QUIET_MS + 1);
    expect(await final).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['notice\n\nanswer']);
    expect(await tool('t1', 'notice')).toMatchObject({ status: 'duplicate', messageIds: ['n1'] });
  });

  it('then a tool call that would leave no reply for the answer waits, though replies are not few yet', async () => {
    network.remaining = 3;
    expect(await tool('t1', 'one|two|three')).toMatchObject(scarce);
    const final = deliver('m1', 'answer');
    await rest();
    expect(await final).toMatchObject(closed);
    await passed(MERGE_QUIET_MS + 1);
    expect(network.texts).toEqual(['one', 'two', 'three']);
    await written();
    expect(network.texts.at(-1)).toBe('answer');
  });

  it('then the last reply is kept while the agent works, and the agent is told that its message is held', async () => {
    network.remaining = 1;
    const progress = deliver('m1', 'progress');
    await rest();
    world.delivery.delta(ROUTE, 'm2', 1, 'the answer begins');
    await passed(HELD_ANSWER_MS + 1);
    expect(await progress).toMatchObject(scarce);
    expect(network.texts).toEqual([]);
    const final = deliver('m2', 'the answer');
    await passed(MERGE_QUIET_MS + 1);
    expect(await final).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['progress\n\nthe answer']);
  });

  it('when the program dies while a merged message is at the network, then each of its messages is in doubt', async () => {
    void deliver('m1', 'one');
    void tool('t1', 'two');
    await rest();
    network.faults.push({ hang: true });
    await passed(MERGE_QUIET_MS + 1);
    restart();
    await rest();
    for (const verdict of [await deliver('m1', 'one'), await tool('t1', 'two')]) {
      expect(verdict).toMatchObject({ code: 'delivery_unknown', retryable: false });
    }
    expect(network.texts).toEqual([]);
  });

  it('when the program closes, then who waits is told that the message is held, and it goes out at the next start', async () => {
    const waiting = deliver('m1', 'one');
    await rest();
    await Promise.all([world.delivery.close(), world.clock.advance(10_000)]);
    expect(await waiting).toMatchObject(scarce);
    restart();
    await passed(MERGE_QUIET_MS + 1);
    expect(network.texts).toEqual(['one']);
  });
});
