import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { sleep, type Clock } from '../../base/clock.js';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import type { StoredFile } from '../../files/file-store.js';
import { isFinalStatus } from '../final-status.js';
import { httpRequest } from '../http-request.js';
import { cdnUrl } from './cdn-url.js';
import type { BotSession, IlinkClient } from './ilink-client.js';
import type { Fields } from '../json-fields.js';
import { cipherSize, encodeMediaKey, encryptor, mediaKeyFor } from './media-crypto.js';
import { transferTime } from './media-limits.js';
import type { TrustedHosts } from './trust.js';
import { ItemType, UploadType, type OutboundItem, type OutboundMedia } from './wire.js';

/** An upload is tried this often; each try asks for a fresh URL. */
const UPLOAD_TRIES = 3;
/** Before the second try, milliseconds; twice that before the third. */
const RETRY_MS = 1_000;
/** The CDN's answer has no body worth reading; bytes. */
const MAX_CDN_ANSWER = 64 * 1024;
/** The refusals after which some accounts were helped by naming the conversation as well. */
const WANTS_CONTEXT: readonly string[] = ['ret_-1', 'reply_window', 'bad_arguments'];

export interface MediaDeps {
  readonly client: IlinkClient;
  readonly trust: TrustedHosts;
  readonly cdnBaseUrl: string;
  readonly clock: Clock;
  readonly wayOut: WayOut;
}

export interface UploadFor {
  readonly bot: BotSession;
  readonly userId: string;
  readonly sealKey: string;
  readonly contextToken: string | undefined;
  readonly signal: AbortSignal;
}

type Kind = keyof typeof UploadType;

/**
 * Encrypts a file, uploads it to the CDN and returns the item that shows it. Uploading sends nothing to the person, so
 * a failed try may be repeated, and none leaves anything in doubt.
 * @throws TargetRefusal `media_refused`, `file_unavailable`, `untrusted_host`, `stale_token`; TransportError, effect `none`
 */
export async function uploadMedia(deps: MediaDeps, file: StoredFile, to: UploadFor): Promise<OutboundItem> {
  const kind: Kind = file.fileType === 'image' || file.fileType === 'video' ? file.fileType : 'file';
  const md5 = await md5Of(file.path);
  const key = mediaKeyFor(to.sealKey, `${md5}:${file.byteSize}`);
  // A name of its own, but the same on every try of the same content: what a broken try left is written over.
  const filekey = mediaKeyFor(to.sealKey, `filekey:${file.fileRef}`).toString('hex');
  const size = cipherSize(file.byteSize);
  const request = {
    filekey,
    media_type: UploadType[kind],
    to_user_id: to.userId,
    rawsize: file.byteSize,
    rawfilemd5: md5,
    filesize: size,
    no_need_thumb: true,
    aeskey: key.toString('hex'),
  };
  for (let tries = 1; ; tries += 1) {
    try {
      const { fullUrl, param } = await uploadUrl(deps, request, to);
      const url = fullUrl ?? cdnUrl(deps.cdnBaseUrl, 'upload', { encrypted_query_param: param ?? '', filekey });
      const reference = await putCiphertext(deps, deps.trust.check(url), file, { key, size, signal: to.signal });
      return itemOf(
        kind,
        { encrypt_query_param: reference, aes_key: encodeMediaKey(key), encrypt_type: 1 },
        file,
        size,
      );
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      if (to.signal.aborted || tries >= UPLOAD_TRIES) {
        throw new TransportError(error.code, 'The file could not be uploaded', { effect: 'none' });
      }
      await sleep(deps.clock, RETRY_MS * tries, to.signal).catch(() => undefined);
    }
  }
}

async function uploadUrl(
  deps: MediaDeps,
  request: Fields,
  to: UploadFor,
): Promise<{ fullUrl: string | undefined; param: string | undefined }> {
  try {
    return await deps.client.getUploadUrl(to.bot, request, to.signal);
  } catch (error) {
    if (!(error instanceof TargetRefusal) || !WANTS_CONTEXT.includes(error.code)) throw error;
    if (to.contextToken === undefined) throw refused();
  }
  try {
    return await deps.client.getUploadUrl(to.bot, { ...request, context_token: to.contextToken }, to.signal);
  } catch (error) {
    // Its codes mean something else here than on a message: they say nothing about the right to reply.
    throw error instanceof TargetRefusal && WANTS_CONTEXT.includes(error.code) ? refused() : error;
  }
}

async function putCiphertext(
  deps: MediaDeps,
  url: URL,
  file: StoredFile,
  { key, size, signal }: { key: Buffer; size: number; signal: AbortSignal },
): Promise<string> {
  const source = createReadStream(file.path);
  const stream = source.pipe(encryptor(key));
  source.on('error', (error) => stream.destroy(error));
  try {
    const answer = await httpRequest(
      deps.clock,
      {
        method: 'POST',
        url,
        wayOut: deps.wayOut,
        headers: { 'Content-Type': 'application/octet-stream' },
        body: { stream, length: size },
        timeoutMs: transferTime(size),
        signal,
      },
      MAX_CDN_ANSWER,
    );
    if (isFinalStatus(answer.status)) throw refused();
    const reference = answer.headers['x-encrypted-param'];
    if (answer.status !== 200 || typeof reference !== 'string' || reference === '') {
      throw new TransportError('upload_unconfirmed', 'The upload was not confirmed', { effect: 'none' });
    }
    return reference;
  } catch (error) {
    throw source.errored === null ? error : unavailable();
  } finally {
    source.destroy();
  }
}

function itemOf(kind: Kind, media: OutboundMedia, file: StoredFile, size: number): OutboundItem {
  switch (kind) {
    case 'image':
      return { type: ItemType.image, image_item: { media, mid_size: size } };
    case 'video':
      return { type: ItemType.video, video_item: { media, video_size: size } };
    case 'file':
      return { type: ItemType.file, file_item: { media, file_name: file.filename, len: String(file.byteSize) } };
  }
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    throw unavailable();
  }
  return hash.digest('hex');
}

function refused(): TargetRefusal {
  return new TargetRefusal('media_refused', 'WeChat refused the file', { retryable: false });
}

function unavailable(): TargetRefusal {
  return new TargetRefusal('file_unavailable', 'The file is no longer on this machine', { retryable: false });
}
