import type { FileHandle } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { FileWriter } from './file-writer.js';

const MIB = 1024 * 1024;

/** A file on a system that takes at most `most` bytes a call and fails as it is told. */
class StingyFile {
  content = Buffer.alloc(0);
  syncs: string[] = [];
  underWay = 0;
  mostUnderWay = 0;
  failWrites = false;
  sizes: number[] = [];

  constructor(private readonly most: number) {}

  async writev(pieces: readonly Buffer[]): Promise<{ bytesWritten: number }> {
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    await Promise.resolve();
    this.underWay -= 1;
    if (this.failWrites) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const taken = Buffer.concat(pieces).subarray(0, this.most);
    this.content = Buffer.concat([this.content, taken]);
    this.sizes.push(taken.length);
    return { bytesWritten: taken.length };
  }

  async datasync(): Promise<void> {
    this.syncs.push(`some at ${this.content.length}`);
  }

  async sync(): Promise<void> {
    this.syncs.push(`all at ${this.content.length}`);
  }

  get handle(): FileHandle {
    return this as unknown as FileHandle;
  }
}

function pieces(count: number, size: number): Buffer[] {
  return Array.from({ length: count }, (_, index) => Buffer.alloc(size, index));
}

it('writes every byte in order, one call at a time, however little the system takes', async () => {
  const file = new StingyFile(77_777);
  const writer = new FileWriter(file.handle);
  const content = pieces(70, 40_001);
  for (const piece of content) await writer.write(piece);
  await writer.finish();
  expect(file.content.equals(Buffer.concat(content))).toBe(true);
  expect(file.mostUnderWay).toBe(1);
  expect(file.syncs).toEqual([`all at ${70 * 40_001}`]);
});

it('writes a lone piece at once, and what comes meanwhile together', async () => {
  const file = new StingyFile(MIB);
  const writer = new FileWriter(file.handle);
  await Promise.all(pieces(5, 10).map((piece) => writer.write(piece)));
  await writer.settle();
  expect(file.sizes).toEqual([10, 40]);
});

it('lets the disk begin while more arrives, and ends with all of it on the disk', async () => {
  const file = new StingyFile(2 * MIB);
  const writer = new FileWriter(file.handle);
  for (const piece of pieces(40, MIB)) await writer.write(piece);
  await writer.finish();
  expect(file.syncs).toEqual([`some at ${16 * MIB}`, `some at ${32 * MIB}`, `all at ${40 * MIB}`]);
});

it('tells at the next piece, or at the end, that the disk is full', async () => {
  const file = new StingyFile(MIB);
  file.failWrites = true;
  const early = new FileWriter(file.handle);
  await early.write(Buffer.alloc(1));
  await expect(early.write(Buffer.alloc(MIB))).rejects.toMatchObject({ code: 'ENOSPC' });
  await expect(early.write(Buffer.alloc(1))).rejects.toMatchObject({ code: 'ENOSPC' });
  await expect(early.settle()).rejects.toMatchObject({ code: 'ENOSPC' });
  const late = new FileWriter(file.handle);
  await late.write(Buffer.alloc(1));
  await expect(late.finish()).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(file.syncs).toEqual([]);
});

it('syncs a file of nothing without a write', async () => {
  const file = new StingyFile(MIB);
  await new FileWriter(file.handle).finish();
  expect(file.mostUnderWay).toBe(0);
  expect(file.syncs).toEqual(['all at 0']);
});
