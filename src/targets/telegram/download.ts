import type { Readable } from 'node:stream';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import { isFinalStatus } from '../final-status.js';
import { cappedBody } from '../size-cap.js';
import type { RemoteAttachment } from '../target.js';
import type { BotClient } from './client.js';
import { readLocator } from './media.js';

/** What a bot may download; bytes. */
const MAX_DOWNLOAD_BYTES = 20 * 1024 * 1024;

/**
 * Fetches a file of a message. The link holds the bot's token, so that it never leaves this function.
 * @throws TargetRefusal `file_too_large`, `file_gone`, `file_unavailable`; TransportError
 */
export async function downloadFile(
  client: BotClient,
  attachment: RemoteAttachment,
  signal: AbortSignal,
): Promise<Readable> {
  const { fileId, byteSize } = readLocator(attachment.locator);
  if (byteSize !== undefined && byteSize > MAX_DOWNLOAD_BYTES) throw tooLarge();
  const { file_path, file_size } = await client.call((api) => api.getFile(fileId), signal);
  // A Bot API server of one's own may name a path on its disk; only what it serves is taken.
  if (file_path === undefined || file_path.startsWith('/') || file_path.split('/').includes('..')) throw gone();

  const answer = await client.transport.exchange(client.fileUrl(file_path), {}, signal);
  if (answer.statusCode !== 200) {
    answer.destroy();
    if (isFinalStatus(answer.statusCode ?? 0)) throw gone();
    throw new TransportError('gateway_error', 'Telegram did not give the file', { effect: 'none' });
  }
  return cappedBody({ headers: answer.headers, body: answer }, MAX_DOWNLOAD_BYTES, tooLarge, file_size);
}

function tooLarge(): TargetRefusal {
  return new TargetRefusal('file_too_large', 'Telegram gives bots files up to 20 MB', { retryable: false });
}

function gone(): TargetRefusal {
  return new TargetRefusal('file_gone', 'Telegram does not have the file any more', { retryable: false });
}
