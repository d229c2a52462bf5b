import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { errorCode } from '../../base/error-code.js';
import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { StoredFile } from '../../files/file-store.js';
import { contentDisposition, safeContentType } from '../../files/headers.js';
import { ErrorCode } from '../../protocol/index.js';
import { HttpRefusal } from '../http/refusal.js';
import { parseRange, type ByteRange } from './byte-range.js';
import { checkPreconditions } from './preconditions.js';

/**
 * Answers with a stored file, or the part of it that was asked for, in a way that no browser renders it.
 * @throws HttpRefusal 404 when its bytes are gone, 412 when another file was expected, 416 for a part it does not have
 */
export async function sendFile(ctx: Context, file: StoredFile, log: Logger): Promise<void> {
  const handle = await openFile(file, log);
  try {
    await send(ctx, file, handle, log);
  } finally {
    await handle.close();
  }
}

export function fileNotFound(): HttpRefusal {
  return new HttpRefusal({ status: 404, code: ErrorCode.fileRefNotFound });
}

async function openFile(file: StoredFile, log: Logger): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(file.path, 'r');
  } catch (error) {
    log.warn({ error: describeError(error) }, 'a stored file could not be opened');
    // An agent gives a file up for good when it hears 404.
    throw errorCode(error) === 'ENOENT' ? fileNotFound() : error;
  }
  try {
    const { size } = await handle.stat();
    if (size === file.byteSize) return handle;
    log.error({ recorded: file.byteSize, found: size }, 'a stored file is not what was recorded');
    throw fileNotFound();
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function send(ctx: Context, file: StoredFile, handle: FileHandle, log: Logger): Promise<void> {
  const etag = `"${file.sha256}"`;
  const asked = { ifMatch: ctx.get('If-Match'), ifNoneMatch: ctx.get('If-None-Match') };
  const outcome = checkPreconditions(asked, etag);
  if (outcome === 'failed') throw new HttpRefusal({ status: 412, code: 'precondition_failed' });
  if (outcome === 'not_modified') {
    ctx.set('ETag', etag);
    ctx.status = 304;
    return;
  }
  const ifRange = ctx.get('If-Range');
  // Ranges are defined for GET alone (RFC 9110 section 14.2).
  const isRanged = ctx.method === 'GET' && (ifRange === '' || ifRange === etag);
  const wanted = isRanged ? ctx.get('Range') : '';
  const range = parseRange(wanted, file.byteSize);
  if (range === 'unsatisfiable') {
    throw new HttpRefusal({
      status: 416,
      code: 'range_not_satisfiable',
      headers: { 'Content-Range': `bytes */${file.byteSize}` },
    });
  }
  ctx.set({
    'Content-Type': safeContentType(file.mimeType),
    'Content-Disposition': contentDisposition(file.filename),
    // Opened in a browser after all, it gets an origin of its own and no scripts.
    'Content-Security-Policy': 'sandbox',
    'Accept-Ranges': 'bytes',
    ETag: etag,
  });
  const part: ByteRange = range === 'whole' ? { start: 0, end: file.byteSize - 1 } : range;
  ctx.status = range === 'whole' ? 200 : 206;
  if (range !== 'whole') ctx.set('Content-Range', `bytes ${part.start}-${part.end}/${file.byteSize}`);
  ctx.length = part.end - part.start + 1;
  // Written here and not as koa's body: a read error half-way must cut the connection, or a short file looks complete.
  ctx.respond = false;
  if (ctx.method === 'HEAD') {
    ctx.res.end();
    return;
  }
  try {
    await pipeline(handle.createReadStream({ ...part, autoClose: false }), ctx.res);
  } catch (error) {
    ctx.res.destroy();
    log.debug({ error: describeError(error) }, 'a download ended early');
  }
}
