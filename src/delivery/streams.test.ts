import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, never, openWorld, OPTIONS, rest, type World } from '../../test/support/delivery-world.js';
import { FakePreview } from '../../test/support/fake-preview.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import { previewGone } from '../targets/target.js';
import type { OutboundVerdict } from './delivery.js';
import { STREAM_ABORT_PATIENCE_MS, STREAM_CALL_MAX_MS } from './stream-view.js';

const A = 'acc_a';
const ROUTE = { channelId: 'cch_a', accountId: A };
let world: World;
let network: FakeNetwork;
let preview: FakePreview;

beforeEach(async () => {
  world = await openWorld();
  network = new FakeNetwork();
  preview = new FakePreview();
  network.stream = preview;
  world.delivery.attach(A, network);
});
afterEach(async () => {
  await world.end();
});

function delta(sequence: number, text: string, id = 'm'): void {
  world.delivery.delta(ROUTE, id, sequence, text);
}

function final(text: string, id = 'm'): Promise<OutboundVerdict> {
  return world.delivery.deliver({ ...ROUTE, kind: 'message', id, text, files: [] });
}

describe('given deltas of an answer', () => {
  it('then the first text opens a preview, and later ones replace it, the latest only, no faster than allowed', async () => {
    delta(1, 'a');
    await rest();
    delta(2, 'b');
    delta(3, 'c');
    await world.clock.advance(999);
    expect(preview.opened).toEqual(['a']);
    expect(preview.updates).toEqual([]);
    await world.clock.advance(1);
    delta(4, 'd');
    delta(5, 'e');
    await world.clock.advance(1_000);
    expect(preview.updates).toEqual(['abc', 'abcde']);
    await world.clock.advance(60_000);
    expect(preview.updates.length).toBe(2);
  });

  it('when a call is slow, then the next is not begun before it ends', async () => {
    let open: () => void = () => undefined;
    preview.gate = new Promise((resolve) => (open = resolve));
    delta(1, 'a');
    await world.clock.advance(5_000);
    delta(2, 'b');
    await world.clock.advance(5_000);
    open();
    await world.clock.advance(5_000);
    expect(preview.mostRunning).toBe(1);
    expect(preview.updates).toEqual(['ab']);
  });

  it('when the final comes, then the preview becomes its first part and only the others are sent', async () => {
    delta(1, 'draft');
    await rest();
    expect(await final('one|two')).toEqual({ status: 'accepted', messageIds: ['h1', 'n1'] });
    expect(preview.finished).toEqual([{ handle: 'h1', text: 'one' }]);
    expect(network.texts).toEqual(['two']);
    await world.clock.advance(60_000);
    expect(preview.updates).toEqual([]);
  });

  it('when the final comes while an update is under way, then that is waited for, so that the final text stays', async () => {
    let open: () => void = () => undefined;
    delta(1, 'a');
    await rest();
    preview.gate = new Promise((resolve) => (open = resolve));
    delta(2, 'b');
    await world.clock.advance(1_000);
    const verdict = final('one');
    await rest();
    expect(preview.running).toBe(1);
    open();
    await verdict;
    expect(preview.mostRunning).toBe(1);
    expect(preview.updates).toEqual(['ab']);
    expect(preview.finished).toEqual([{ handle: 'h1', text: 'one' }]);
  });

  it('when a delta comes after its final, then it is ignored, after a restart too', async () => {
    delta(1, 'a');
    await final('one');
    delta(2, 'b');
    world = world.crash();
    world.delivery.attach(A, network);
    delta(3, 'c');
    await world.clock.advance(10_000);
    expect(preview.opened.length + preview.updates.length).toBeLessThanOrEqual(1);
  });

  it('when the program dies, then the final edits the message that is there, and no second copy is sent', async () => {
    delta(1, 'a');
    await rest();
    world = world.crash();
    world.delivery.attach(A, network);
    expect(await final('one')).toEqual({ status: 'accepted', messageIds: ['h1'] });
    expect(network.sent).toEqual([]);
    expect(preview.finished).toEqual([{ handle: 'h1', text: 'one' }]);
  });

  it('when the agent streams the same answer again after that, then the preview that is there goes on', async () => {
    delta(1, 'a');
    await rest();
    world = world.crash();
    world.delivery.attach(A, network);
    delta(1, 'a');
    delta(2, 'b');
    await world.clock.advance(1_000);
    expect(preview.opened).toEqual(['a']);
    expect(preview.updates).toEqual(['a', 'ab']);
  });

  it('when the network does not keep the preview, then the final after a crash is sent as usual', async () => {
    preview.visible = false;
    delta(1, 'a');
    await rest();
    world = world.crash();
    world.delivery.attach(A, network);
    await final('one');
    expect(network.texts).toEqual(['one']);
    expect(preview.finished).toEqual([]);
  });

  it('when the preview was deleted meanwhile, then the final is sent as usual', async () => {
    preview.finishFaults.push(new TargetRefusal('message_gone', 'gone', { retryable: false }));
    delta(1, 'a');
    await rest();
    expect(await final('one|two')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one', 'two']);
  });

  it('when a preview can not become the part and the sending that follows is lost, then that is in doubt, after a crash too', async () => {
    preview.finishFaults.push(previewGone());
    network.faults.push({ hang: true });
    delta(1, 'a');
    await rest();
    void final('one');
    await rest();
    world = world.crash();
    world.delivery.attach(A, network);
    expect(await final('one')).toMatchObject({ code: 'delivery_unknown', retryable: false });
    expect(preview.finished).toEqual([]);
    expect(network.sent).toEqual([]);
  });

  it('when finishing a kept preview has an unknown outcome, then it is repeated, for an edit can be', async () => {
    preview.finishFaults.push(new TransportError('reset', 'reset', { effect: 'unknown' }));
    delta(1, 'a');
    await rest();
    const verdict = final('one');
    await world.clock.advance(2_000);
    expect(await verdict).toMatchObject({ status: 'accepted' });
    expect(preview.finished.length).toBe(1);
    expect(network.sent).toEqual([]);
  });

  it('when finishing a passing preview has an unknown outcome, then it is in doubt, for that is a sending', async () => {
    preview.visible = false;
    preview.finishFaults.push(new TransportError('reset', 'reset', { effect: 'unknown' }));
    delta(1, 'a');
    await rest();
    expect(await final('one')).toMatchObject({ code: 'delivery_unknown', retryable: false });
  });

  it('when no final comes while deltas are kept, then a passing preview is taken away and the final is sent as usual', async () => {
    preview.visible = false;
    delta(1, 'a');
    await world.clock.advance(OPTIONS.deltas.ttlMs - 1_000);
    expect(preview.discarded).toEqual([]);
    await world.clock.advance(60_000);
    expect(preview.discarded).toEqual(['h1']);
    expect(await final('one')).toEqual({ status: 'accepted', messageIds: ['n1'] });
  });

  it('when the network keeps the preview, then it stays, and the final becomes it however late it comes', async () => {
    delta(1, 'a');
    await world.clock.advance(OPTIONS.deltas.ttlMs + 60_000);
    expect(preview.discarded).toEqual([]);
    expect(await final('one')).toEqual({ status: 'accepted', messageIds: ['h1'] });
  });

  it('when a passing preview could not become the final, then it is taken away: the repeat is a message of its own', async () => {
    preview.visible = false;
    preview.finishFaults.push(new TransportError('reset', 'reset', { effect: 'none' }));
    delta(1, 'a');
    await rest();
    expect(await final('one')).toMatchObject({ status: 'rejected', retryable: true });
    expect(preview.discarded).toEqual(['h1']);
    expect(await final('one')).toEqual({ status: 'accepted', messageIds: ['n1'] });
  });

  it('when previews fail in any way, then the final is delivered all the same', async () => {
    preview.openFault = new TransportError('reset', 'reset', { effect: 'unknown' });
    delta(1, 'a');
    delta(2, 'b');
    await world.clock.advance(10_000);
    expect(await final('one')).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one']);
  });

  it('when an opening hangs, then the final does not wait for it for ever', async () => {
    preview.gate = never();
    delta(1, 'a');
    await rest();
    const verdict = final('one');
    await world.clock.advance(STREAM_CALL_MAX_MS + STREAM_ABORT_PATIENCE_MS);
    expect(await verdict).toMatchObject({ status: 'accepted' });
    expect(network.texts).toEqual(['one']);
  });

  it('when an update takes too long, then it is abandoned and has ended before the final is written over it', async () => {
    delta(1, 'a');
    await rest();
    const order: string[] = [];
    preview.update = (_handle, _text, signal) =>
      new Promise<void>((_, reject) => {
        signal?.addEventListener('abort', () => {
          order.push('update abandoned');
          void rest().then(() => {
            order.push('update ended');
            reject(new TransportError('aborted', 'aborted', { effect: 'unknown' }));
          });
        });
      });
    preview.finish = (handle) => {
      order.push('finish');
      return Promise.resolve({ messageId: handle });
    };
    delta(2, 'b');
    await world.clock.advance(1_000);
    const verdict = final('one');
    await world.clock.advance(STREAM_CALL_MAX_MS);
    expect(await verdict).toMatchObject({ status: 'accepted' });
    expect(order).toEqual(['update abandoned', 'update ended', 'finish']);
  });

  it('when an opening is answered as it is abandoned, then its message becomes the final instead of standing beside it', async () => {
    preview.open = (_text, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ handle: 'late', visible: true }));
      });
    delta(1, 'a');
    await rest();
    const verdict = final('one');
    await world.clock.advance(STREAM_CALL_MAX_MS);
    expect(await verdict).toEqual({ status: 'accepted', messageIds: ['late'] });
    expect(network.sent).toEqual([]);
  });

  it('when an opening surely failed, then it is tried again', async () => {
    preview.openFault = new TransportError('down', 'down', { effect: 'none' });
    delta(1, 'a');
    await rest();
    preview.openFault = undefined;
    await world.clock.advance(1_000);
    expect(preview.opened).toEqual(['a']);
  });

  it('when the conversation can not stream, then nothing is shown before the final', async () => {
    preview.canStream = false;
    delta(1, 'a');
    delta(2, 'b');
    await world.clock.advance(10_000);
    expect(await final('one')).toMatchObject({ status: 'accepted', messageIds: ['n1'] });
  });

  it('when the network can not stream, then nothing is shown before the final', async () => {
    delete network.stream;
    delta(1, 'a');
    await final('one');
    expect(preview.opened).toEqual([]);
    expect(network.texts).toEqual(['one']);
  });

  it('when another answer is being sent, then the preview is opened after it, not among its parts', async () => {
    let open: () => void = () => undefined;
    network.gate = new Promise((resolve) => (open = resolve));
    const first = final('one|two', 'first');
    await rest();
    delta(1, 'a', 'second');
    await rest();
    expect(preview.opened).toEqual([]);
    open();
    await first;
    await rest();
    expect(preview.opened).toEqual(['a']);
  });
});

describe('given a preview was shown and the channel then has another account', () => {
  it.each([
    ['kept by the network', true],
    ['passing', false],
  ])(
    'when it is %s, then the final is a message of its own there, and the preview is not touched',
    async (_, visible) => {
      preview.visible = visible;
      delta(1, 'a');
      await rest();
      const other = new FakeNetwork();
      const otherPreview = new FakePreview();
      other.stream = otherPreview;
      world.delivery.attach('acc_b', other);
      const request = {
        channelId: 'cch_a',
        accountId: 'acc_b',
        kind: 'message',
        id: 'm',
        text: 'one',
        files: [],
      } as const;
      expect(await world.delivery.deliver(request)).toMatchObject({ status: 'accepted' });
      expect(other.texts).toEqual(['one']);
      expect(otherPreview.finished.concat(preview.finished)).toEqual([]);
    },
  );

  it('when the agent streams again after a restart, then a preview is opened there, not changed', async () => {
    delta(1, 'a');
    await rest();
    world = world.crash();
    const other = new FakeNetwork();
    const otherPreview = new FakePreview();
    other.stream = otherPreview;
    world.delivery.attach('acc_b', other);
    world.delivery.delta({ channelId: 'cch_a', accountId: 'acc_b' }, 'm', 1, 'a');
    await rest();
    expect(otherPreview.opened).toEqual(['a']);
    expect(otherPreview.updates).toEqual([]);
  });
});
