import type { Context } from 'koa';
import type { Logger } from '../../base/logger.js';
import type { Connector } from '../../connector/connector.js';
import type { FileStore, StoredFile } from '../../files/file-store.js';
import { HttpRefusal } from '../http/refusal.js';
import type { Route } from '../http/route.js';
import { channelOf } from './channel-header.js';
import { fileNotFound, sendFile } from './send-file.js';

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
      await sendFile(ctx, findFile(ctx, params['ref'] ?? '', parts), parts.log);
    },
  };
}

function findFile(ctx: Context, ref: string, { files, connectors }: DownloadParts): StoredFile {
  const file = files.get(ref);
  const owner = file && connectors.find((connector) => connector.card.connector_card_id === file.cardId);
  if (!file || !owner) throw fileNotFound();
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
