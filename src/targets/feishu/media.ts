import type { Readable } from 'node:stream';
import { TargetRefusal } from '../../base/errors.js';
import { fieldsOf } from '../json-fields.js';
import { cappedBody } from '../size-cap.js';
import type { Json, RemoteAttachment } from '../target.js';
import type { FeishuApi } from './api.js';

/** What an app may upload, and what of it may be shown as a picture. */
export const MAX_UPLOAD_BYTES = 30 * 1024 * 1024;
export const MAX_IMAGE_BYTES = 10 * 1024 * 1024;
/** What an app may download. */
const MAX_DOWNLOAD_BYTES = 100 * 1024 * 1024;

export interface ResourceLocator {
  readonly messageId: string;
  readonly key: string;
  readonly type: 'image' | 'file';
}

export function locatorToJson({ messageId, key, type }: ResourceLocator): Json {
  return { messageId, key, type };
}

/** @throws TypeError when the stored value is not one of ours */
function readLocator(locator: Json): ResourceLocator {
  const { messageId, key, type } = fieldsOf(locator);
  if (typeof messageId !== 'string' || typeof key !== 'string' || (type !== 'image' && type !== 'file')) {
    throw new TypeError('A stored Feishu attachment is damaged');
  }
  return { messageId, key, type };
}

/**
 * Fetches a file of a message as a stream.
 * @throws TargetRefusal `file_too_large`, `file_gone`, `permission_missing`; TransportError, effect `none`
 */
export async function fetchResource(
  api: FeishuApi,
  attachment: RemoteAttachment,
  signal: AbortSignal,
): Promise<Readable> {
  const { messageId, key, type } = readLocator(attachment.locator);
  return cappedBody(await api.openResource(messageId, key, type, signal), MAX_DOWNLOAD_BYTES, tooLarge);
}

function tooLarge(): TargetRefusal {
  return new TargetRefusal('file_too_large', 'Feishu gives apps files up to 100 MB', { retryable: false });
}
