import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  FakeNetwork,
  message,
  never,
  openWorld,
  receive,
  rest,
  SilentAgent,
  type World,
} from '../../test/support/delivery-world.js';
import { TargetRefusal, TransportError } from '../base/errors.js';
import type { RemoteAttachment } from '../targets/target.js';
import { missingFileNote } from './offer.js';

const A = 'acc_a';
let world: World;
let agent: SilentAgent;
let network: FakeNetwork;

beforeEach(async () => {
  world = await openWorld();
  agent = new SilentAgent();
  network = new FakeNetwork();
});
afterEach(async () => {
  await world.end();
});

const pdf: RemoteAttachment = { fileType: 'file', filename: 'x.pdf', mimeType: 'application/pdf', locator: { id: 7 } };
const photo: RemoteAttachment = { fileType: 'image', locator: 'p' };

function serve(...outcomes: (string | Error)[]): void {
  network.fetch = async () => {
    const next = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
    if (next instanceof Error) throw next;
    return Readable.from([Buffer.from(next ?? '')]);
  };
}

function start(): void {
  world.delivery.attach(A, network);
  world.delivery.route(A, agent);
}

describe('given a message with attachments', () => {
  it('when they can be fetched, then they are there before the agent is told, under refs relative to the server', async () => {
    serve('bytes');
    start();
    await receive(world.delivery, A, message('1', { attachments: [pdf, photo] }));
    await rest();
    expect(agent.offers).toMatchObject([
      {
        text: 'text of 1',
        files: [
          { type: 'file', filename: 'x.pdf', mime_type: 'application/pdf', byte_size: 5 },
          { type: 'image', download_url: '/files/refs/file_0000000000000000000002' },
        ],
      },
    ]);
  });

  it('when the network serves them only after some failures, then they come with the message all the same', async () => {
    const down = new TransportError('down', 'down', { effect: 'none' });
    serve(down, new TargetRefusal('busy', 'busy', { retryable: true, retryAfterMs: 5_000 }), 'bytes');
    start();
    await receive(world.delivery, A, message('1', { attachments: [pdf] }));
    await world.clock.advance(5_999);
    expect(agent.offers).toEqual([]);
    await world.clock.advance(1);
    expect(agent.offers).toMatchObject([{ text: 'text of 1', files: [{ filename: 'x.pdf' }] }]);
  });

  it('when the network refuses one for good, then a plain line says so and the message is delivered', async () => {
    network.fetch = async (attachment) => {
      if (attachment.filename === 'x.pdf') throw new TargetRefusal('too_big', 'file is too big', { retryable: false });
      return Readable.from([Buffer.from('ok')]);
    };
    start();
    await receive(world.delivery, A, message('1', { attachments: [pdf, photo] }));
    await rest();
    expect(agent.offers).toMatchObject([
      { text: 'text of 1\n[file "x.pdf" could not be fetched]', files: [{ type: 'image' }] },
    ]);
  });

  it('when the network never serves it, then the message is delivered without it after some tries', async () => {
    let tries = 0;
    network.fetch = async () => {
      tries += 1;
      throw new TransportError('down', 'down', { effect: 'none' });
    };
    start();
    await receive(world.delivery, A, message('1', { text: '', attachments: [photo] }));
    await world.clock.advance(40_000);
    expect(tries).toBe(6);
    expect(agent.offers).toMatchObject([{ text: '[image could not be fetched]', files: [] }]);
  });

  it('when a transfer hangs, then the head waits two minutes for it and no longer', async () => {
    network.fetch = () => never();
    start();
    await receive(world.delivery, A, message('1', { attachments: [photo] }), message('2'));
    await world.clock.advance(119_999);
    expect(agent.offers).toEqual([]);
    await world.clock.advance(1);
    expect(agent.offers).toMatchObject([{ messageId: '1', files: [] }]);
  });

  it('when the message would expire before that, then it is delivered in time', async () => {
    network.fetch = () => never();
    world.delivery.attach(A, network);
    await receive(world.delivery, A, message('1', { attachments: [photo] }));
    await world.clock.advance(3_590_000);
    world.delivery.route(A, agent);
    await world.clock.advance(5_000);
    expect(agent.ids).toEqual(['1']);
    expect(world.delivery.counters(A)).toEqual({});
  });

  it('when the network has nothing to fetch with, then the message does not wait', async () => {
    start();
    await receive(world.delivery, A, message('1', { attachments: [pdf] }));
    await rest();
    expect(agent.offers).toMatchObject([{ files: [], text: 'text of 1\n[file "x.pdf" could not be fetched]' }]);
  });

  it('then fetching begins at once, while no agent is there, and a stored file is not fetched again after a restart', async () => {
    let fetched = 0;
    network.fetch = async () => {
      fetched += 1;
      return Readable.from([Buffer.from('bytes')]);
    };
    world.delivery.attach(A, network);
    await receive(world.delivery, A, message('1', { attachments: [pdf] }));
    await rest();
    expect(fetched).toBe(1);
    world = world.crash();
    start();
    await rest();
    expect(fetched).toBe(1);
    expect(agent.offers).toMatchObject([{ files: [{ filename: 'x.pdf' }] }]);
  });

  it('when the program died before they were there, then it goes on fetching', async () => {
    await receive(world.delivery, A, message('1', { attachments: [pdf] }), message('2', { attachments: [photo] }));
    world = world.crash();
    serve('bytes');
    world.delivery.attach(A, network);
    await rest();
    expect(world.files.files.size).toBe(2);
  });

  it('when a ref expired before the message was offered, then a line says so', async () => {
    serve('bytes');
    world.delivery.attach(A, network);
    await receive(world.delivery, A, message('1', { attachments: [pdf] }));
    await rest();
    world.files.files.clear();
    world.delivery.route(A, agent);
    await rest();
    expect(agent.offers).toMatchObject([{ files: [], text: 'text of 1\n[file "x.pdf" could not be fetched]' }]);
  });

  it('when the disk refuses the record of what was fetched, then the message waits for it: offered again it must name the same file', async () => {
    serve('bytes');
    await receive(world.delivery, A, message('1', { attachments: [pdf] }));
    world.store.refuse = 'disk_full';
    start();
    await rest();
    expect(agent.offers).toEqual([]);
    world.store.refuse = undefined;
    await world.clock.advance(1_000);
    await rest();
    expect(agent.offers).toMatchObject([{ files: [{ filename: 'x.pdf' }] }]);
  });

  it('when it is an album, then all its files come, fetched once the album is whole', async () => {
    serve('bytes');
    start();
    const part = (id: string) =>
      message(id, { text: '', attachments: [photo], mergeKey: 'album', mergeWindowMs: 1_000 });
    await receive(world.delivery, A, part('1'));
    await world.clock.advance(500);
    await receive(world.delivery, A, part('2'), part('3'));
    await world.clock.advance(500);
    await rest();
    expect(agent.offers.map(({ files }) => files.length)).toEqual([3]);
    expect(world.files.files.size).toBe(3);
  });

  it('when it is an album and nobody is there, then its files are fetched as well', async () => {
    serve('bytes');
    world.delivery.attach(A, network);
    const album = message('1', { attachments: [photo], mergeKey: 'album', mergeWindowMs: 1_000 });
    await receive(world.delivery, A, album);
    await world.clock.advance(1_000);
    await rest();
    expect(world.files.files.size).toBe(1);
  });

  it('when the message ends, then nothing is fetched for it any more', async () => {
    let aborted = false;
    network.fetch = (_, signal) => {
      signal.addEventListener('abort', () => (aborted = true));
      return never();
    };
    start();
    await receive(world.delivery, A, message('1', { attachments: [pdf] }), message('2'));
    await rest();
    await world.delivery.discard(A, '1');
    await rest();
    expect(aborted).toBe(true);
    expect(agent.ids).toEqual(['2']);
  });

  it('then a message behind a slow one is fetched meanwhile', async () => {
    network.fetch = (attachment) => (attachment.locator === 'p' ? never() : Promise.resolve(Readable.from(['x'])));
    world.delivery.attach(A, network);
    await receive(world.delivery, A, message('1', { attachments: [photo] }), message('2', { attachments: [pdf] }));
    await rest();
    expect(world.files.files.size).toBe(1);
  });
});

describe('given the note for a missing file', () => {
  it('then a name can neither break out of it nor fill the message', () => {
    expect(missingFileNote({ fileType: 'file', filename: 'a"]\n[evil' })).toBe(
      '[file "a ] [evil" could not be fetched]',
    );
    expect(missingFileNote({ fileType: 'file', filename: 'x'.repeat(500) }).length).toBeLessThan(160);
    expect(missingFileNote({ fileType: 'audio' })).toBe('[audio could not be fetched]');
  });
});
