import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { Connector } from '../../connector/connector.js';
import type { FileStore, StoredFile } from '../../files/file-store.js';
import { contentDisposition, safeContentType } from '../../files/headers.js';
import { ErrorCode } from '../../protocol/index.js';
import { HttpRefusal } from '../http/refusal.js';
import type { Route } from '../http/route.js';
import { parseRange, type ByteRange } from './byte-range.js';
import { channelOf } from './channel-header.js';

export interface DownloadParts {
  readonly files: FileStore;
  /** The connectors whose refs this path serves: one under its prefix, all of them at the root. */
  readonly connectors: readonly Connector[];
  readonly log: Logger;
}

/**
 * `GET /files/refs/{file_ref}` (section 5.2). The ref is the authorization: an agent downloads by the URL alone, as often as
 * it likes, until the file expires.
 */
export function downloadRoute(parts: DownloadParts): Route {
  return {
    method: 'GET',
    path: '/files/refs/:ref',
    access: 'own',
    async handle(ctx, params) {
      const file = findFile(ctx, params['ref'] ?? '', parts);
      const handle = await openFile(file, parts.log);
      try {
        await send(ctx, file, handle, parts.log);
      } finally {
        await handle.close();
      }
    },
  };
}

function findFile(ctx: Context, ref: string, { files, connectors }: DownloadParts): StoredFile {
  const file = files.get(ref);
  const owner = file && connectors.find((connector) => connector.card.connector_card_id === file.cardId);
  if (!file || !owner) throw notFound();
  const channelId = channelOf(ctx.req);
  if (channelId !== undefined && channelId !== channelOfFile(file, owner)) {
    throw new HttpRefusal({ status: 403, code: 'channel_mismatch', message: 'the file belongs to another channel' });
  }
  return file;
}

/** An upload is bound to its channel; a file a person sent belongs to the channel its account has now. */
function channelOfFile(file: StoredFile, owner: Connector): string | undefined {
  if (file.channelId !== undefined) return file.channelId;
  return owner.channels().find((channel) => channel.accountId === file.accountId)?.channelId;
}

async function openFile(file: StoredFile, log: Logger): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(file.path, 'r');
  } catch (error) {
    log.warn({ error: describeError(error) }, 'a stored file could not be opened');
    throw notFound();
  }
  const { size } = await handle.stat();
  if (size === file.byteSize) return handle;
  await handle.close();
  log.error({ recorded: file.byteSize, found: size }, 'a stored file is not what was recorded');
  throw notFound();
}

async function send(ctx: Context, file: StoredFile, handle: FileHandle, log: Logger): Promise<void> {
  const etag = `"${file.sha256}"`;
  const ifRange = ctx.get('If-Range');
  const wanted = ifRange === '' || ifRange === etag ? ctx.get('Range') : '';
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

function notFound(): HttpRefusal {
  return new HttpRefusal({ status: 404, code: ErrorCode.fileRefNotFound });
}
