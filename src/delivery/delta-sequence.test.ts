import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, OPTIONS, openWorld, rest, type World } from '../../test/support/delivery-world.js';
import { FakePreview } from '../../test/support/fake-preview.js';
import type { OutboundVerdict } from './delivery.js';

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

describe('given the sequence of deltas', () => {
  const conflict = { name: 'ProtocolError', code: 'delta_sequence_conflict' };

  it('when one comes twice, then its text counts once', async () => {
    delta(1, 'a');
    delta(2, 'b');
    delta(1, 'a');
    delta(2, 'b');
    await world.clock.advance(1_000);
    expect(preview.updates.concat(preview.opened)).toContain('ab');
  });

  it.each([
    ['it begins with another number than 1', [[2, 'b']]],
    [
      'a number is missing',
      [
        [1, 'a'],
        [3, 'c'],
      ],
    ],
    [
      'a number comes again with other text',
      [
        [1, 'a'],
        [2, 'b'],
        [1, 'x'],
      ],
    ],
  ] as [string, [number, string][]][])(
    'when %s, then that and all that is not the next one is refused, and the final still works',
    async (_, deltas) => {
      const last = deltas.pop() ?? [0, ''];
      for (const [sequence, text] of deltas) delta(sequence, text);
      expect(() => delta(...last)).toThrow(expect.objectContaining(conflict));
      for (const sequence of [4, 9]) {
        expect(() => delta(sequence, 'after the gap')).toThrow(expect.objectContaining(conflict));
      }
      for (const [sequence, text] of deltas) delta(sequence, text);
      expect(await final('one')).toMatchObject({ status: 'accepted' });
      delta(9, 'after its final');
    },
  );

  it('when many answers were begun, then a finished one goes before the previews whose turn has not come', async () => {
    for (let index = 0; index < 20; index += 1) delta(1, `unfinished ${String(index)}`, String(index));
    expect(await final('done', '19')).toMatchObject({ status: 'accepted' });
    expect(preview.opened.length).toBeLessThan(5);
  });

  it('when a number is missing, then what the person saw so far becomes the final instead of standing beside it', async () => {
    delta(1, 'the first half');
    await rest();
    expect(() => delta(3, 'a gap')).toThrow(expect.objectContaining(conflict));
    await final('the whole');
    expect(preview.finished).toEqual([{ handle: 'h1', text: 'the whole' }]);
  });
});

describe('given deltas are bounded', () => {
  async function withBounds(bounds: Partial<typeof OPTIONS.deltas>): Promise<void> {
    await world.end();
    world = await openWorld({ deltas: { ...OPTIONS.deltas, ...bounds } });
    world.delivery.attach(A, network);
  }

  it('when an answer outgrows its bytes, then the preview stops growing and the final is right', async () => {
    await withBounds({ maxBytesPerMessage: 100 });
    delta(1, 'x'.repeat(50));
    delta(2, 'y'.repeat(50));
    delta(3, 'z');
    await world.clock.advance(10_000);
    expect(preview.opened.concat(preview.updates)).toEqual(['x'.repeat(50)]);
    await final('whole');
    expect(preview.finished).toEqual([{ handle: 'h1', text: 'whole' }]);
  });

  it('when there are more answers than may be kept, then the oldest is not shown any further', async () => {
    await withBounds({ capacityPerChannel: 2 });
    for (const id of ['1', '2', '3']) delta(1, id, id);
    await world.clock.advance(3_000);
    expect(() => delta(2, 'more', '1')).toThrow();
    delta(2, 'more', '3');
    await world.clock.advance(3_000);
    expect(preview.updates).toEqual(['3more']);
  });

  it('when no final comes, then the answer is forgotten after its time', async () => {
    delta(1, 'a');
    await world.clock.advance(600_000 + 30_000);
    expect(() => delta(2, 'b')).toThrow();
    await world.clock.advance(10_000);
    expect(preview.updates).toEqual([]);
  });
});
