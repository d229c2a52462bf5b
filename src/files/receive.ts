import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { PRIVATE_FILE_MODE } from '../store/private-mode.js';
import { FileWriter } from './file-writer.js';
import { FileStoreError } from './file-store.js';
import { SNIFF_BYTES } from './sniff.js';

/** What was learnt of a file while it streamed by. */
export interface Received {
  readonly byteSize: number;
  /** Lower-case hex. */
  readonly sha256: string;
  /** The first bytes, for telling what it is. */
  readonly head: Buffer;
}

/**
 * Streams `content` into the new file `target` (owner's eyes only) and makes it durable. The caller removes `target` when this
 * rejects.
 *
 * @param admit called with the size of each piece before it is written; throws to refuse it
 */
export async function receive(content: Readable, target: string, admit: (bytes: number) => void): Promise<Received> {
  const hash = createHash('sha256');
  const head: Buffer[] = [];
  let byteSize = 0;
  const handle = await fs.open(target, 'wx', PRIVATE_FILE_MODE);
  const writer = new FileWriter(handle);
  try {
    for await (const piece of content) {
      const chunk = toBuffer(piece);
      admit(chunk.length);
      if (byteSize < SNIFF_BYTES) head.push(Buffer.from(chunk.subarray(0, SNIFF_BYTES - byteSize)));
      byteSize += chunk.length;
      hash.update(chunk);
      await writer.write(chunk);
    }
    if (byteSize === 0) throw new FileStoreError('empty', 'the file has no content');
    await writer.finish();
  } finally {
    await writer.settle().catch(() => undefined);
    await handle.close();
  }
  return { byteSize, sha256: hash.digest('hex'), head: Buffer.concat(head) };
}

function toBuffer(piece: unknown): Buffer {
  if (Buffer.isBuffer(piece)) return piece;
  if (piece instanceof Uint8Array) return Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  if (typeof piece === 'string') return Buffer.from(piece, 'utf8');
  throw new TypeError('a file is streamed as bytes');
}
