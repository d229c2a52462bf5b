import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeNetwork, openWorld, rest, type World } from '../../test/support/delivery-world.js';
import { TargetRefusal } from '../base/errors.js';
import type { StoredFile } from '../files/file-store.js';
import type { OutboundVerdict } from './delivery.js';

const A = 'acc_a';
const CHANNEL = 'cch_a';
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

function deliver(id: string, text: string, files: StoredFile[] = []): Promise<OutboundVerdict> {
  return world.delivery.deliver({ kind: 'message', channelId: CHANNEL, accountId: A, id, text, files });
}

function recall(id: string, text: string, fileRefs: readonly string[] = []): Promise<OutboundVerdict> | undefined {
  return world.delivery.recall({ kind: 'message', channelId: CHANNEL, id, text, fileRefs });
}

function upload(bytes: string): StoredFile {
  return world.files.take(Buffer.from(bytes), { cardId: 'im.test', filename: bytes });
}

/** Its files expired, its account signed out, and the program started anew. */
function timePasses(): void {
  world.files.files.clear();
  world = world.crash();
}

describe('recalling an answer', () => {
  it('that is new knows nothing', () => {
    expect(recall('m', 'one')).toBeUndefined();
  });

  it('that was delivered is a duplicate, long after its files expired and its account signed out', async () => {
    const files = [upload('a'), upload('b')];
    const refs = files.map((file) => file.fileRef);
    await deliver('m', 'see', files);
    timePasses();
    expect(await recall('m', 'see', refs)).toEqual({ status: 'duplicate', messageIds: ['n1', 'n2', 'n3'] });
  });

  it('that was delivered contradicts the same id with other text, other order or fewer files', async () => {
    const [a, b] = [upload('a'), upload('b')];
    await deliver('m', 'see', [a, b]);
    timePasses();
    const conflict = { status: 'rejected', code: 'message_id_conflict', retryable: false };
    expect(await recall('m', 'other', [a.fileRef, b.fileRef])).toMatchObject(conflict);
    expect(await recall('m', 'see', [b.fileRef, a.fileRef])).toMatchObject(conflict);
    expect(await recall('m', 'see', [a.fileRef])).toMatchObject(conflict);
  });

  it('leaves it to the file itself whether one uploaded anew is the same', async () => {
    await deliver('m', 'see', [upload('a')]);
    const again = upload('a');
    expect(recall('m', 'see', [again.fileRef])).toBeUndefined();
    expect(await deliver('m', 'see', [again])).toMatchObject({ status: 'duplicate' });
  });

  it('that the network refused for good is refused again with the same words', async () => {
    network.faults.push({ before: new TargetRefusal('forbidden', 'no', { retryable: false }) });
    await deliver('m', 'one');
    timePasses();
    expect(await recall('m', 'one')).toMatchObject({ status: 'rejected', code: 'forbidden', retryable: false });
  });

  it('that is under way joins it, though its file expires meanwhile', async () => {
    let open = (): void => undefined;
    network.gate = new Promise((resolve) => (open = resolve));
    const file = upload('a');
    const first = deliver('m', 'see', [file]);
    await rest();
    world.files.files.clear();
    const joined = recall('m', 'see', [file.fileRef]);
    open();
    expect(await first).toMatchObject({ status: 'accepted' });
    expect(await joined).toMatchObject({ status: 'duplicate' });
  });

  it('that is not finished is not answered: a repeat goes on with it', async () => {
    network.faults.push(
      {},
      { before: new TargetRefusal('busy', 'later', { retryable: true, retryAfterMs: 3_600_000 }) },
    );
    expect(await deliver('m', 'one|two')).toMatchObject({ status: 'rejected', retryable: true });
    expect(recall('m', 'one|two')).toBeUndefined();
  });
});
