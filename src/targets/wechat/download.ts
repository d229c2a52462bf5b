import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import { parseJson } from '../../base/parse-json.js';
import { isFinalStatus } from '../final-status.js';
import { httpOpen } from '../http-request.js';
import { cappedBody } from '../size-cap.js';
import { cdnUrl } from './cdn-url.js';
import { fieldsOf, textOf } from '../json-fields.js';
import { BLOCK, decodeMediaKey, decryptor } from './media-crypto.js';
import { MAX_MEDIA_BYTES, TRANSFER_BASE_MS } from './media-limits.js';
import type { MediaDeps } from './upload.js';
import type { InboundMedia } from './wire.js';

/** Redirects followed on a download, each checked like the first URL. */
const MAX_REDIRECTS = 3;

/**
 * Fetches and decrypts an inbound file as a stream. Every host, also of a redirect, is checked before it is asked.
 * @param expectedSize bytes, as the sender's client counted them
 * @param signal cuts the stream as well
 * @throws TargetRefusal `file_too_large`, `untrusted_host`, `media_gone`, `media_unreadable`; TransportError, effect `none`
 */
export async function downloadMedia(
  deps: MediaDeps,
  media: InboundMedia,
  expectedSize: number | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  if (expectedSize !== undefined && expectedSize > MAX_MEDIA_BYTES) throw tooLarge();
  const key = decodeMediaKey(media.hexKey, media.key);
  if (key === 'unreadable') {
    throw new TargetRefusal('media_unreadable', 'The key of the file can not be read', { retryable: false });
  }
  let url = firstUrl(deps, media);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const { clock, wayOut } = deps;
    const answer = await httpOpen(clock, { method: 'GET', url, wayOut, timeoutMs: TRANSFER_BASE_MS, signal });
    if (answer.status === 200) return decrypted(cappedBody(answer, MAX_MEDIA_BYTES + BLOCK, tooLarge), key);
    answer.body.destroy();
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) throw failureOf(answer.status);
    url = redirected(deps, location, url);
  }
  throw new TargetRefusal('untrusted_host', 'Too many redirects', { retryable: false });
}

/** Whoever leads elsewhere is not the CDN but stands before it, for now: not followed, and asked again later. */
function redirected(deps: MediaDeps, location: string, from: URL): URL {
  try {
    return deps.trust.check(location, from);
  } catch (error) {
    if (!(error instanceof TargetRefusal)) throw error;
    throw new TargetRefusal(error.code, error.message, { retryable: true });
  }
}

/** Reads back what the mapping of inbound messages sealed. @throws TargetRefusal `media_gone` */
export function readMediaLocator(text: string | undefined): InboundMedia {
  if (text === undefined) {
    throw new TargetRefusal('media_gone', 'The file belongs to an earlier sign-in', { retryable: false });
  }
  const fields = fieldsOf(parseJson(text));
  return {
    url: textOf(fields['url']),
    param: textOf(fields['param']),
    hexKey: textOf(fields['hexKey']),
    key: textOf(fields['key']),
  };
}

/** The server's full URL; the CDN's own where that one is not trusted and the parameter for the CDN is there as well. */
function firstUrl(deps: MediaDeps, { url, param }: InboundMedia): URL {
  const own = param === undefined ? undefined : cdnUrl(deps.cdnBaseUrl, 'download', { encrypted_query_param: param });
  try {
    return deps.trust.check(url ?? own ?? '');
  } catch (error) {
    if (url === undefined || own === undefined) throw error;
    return deps.trust.check(own);
  }
}

function decrypted(body: Readable, key: Buffer | undefined): Readable {
  // Without a key the media is plain.
  if (!key) return body;
  const plain = decryptor(key);
  // The consumer sees a failure as the last stream's error; the promise only tells it a second time.
  pipeline(body, plain).catch(() => undefined);
  return plain;
}

function failureOf(status: number): Error {
  return isFinalStatus(status)
    ? new TargetRefusal('media_gone', 'The file is no longer there', { retryable: false })
    : new TransportError(`http_${status}`, 'The file could not be fetched', { effect: 'none' });
}

function tooLarge(): TargetRefusal {
  return new TargetRefusal('file_too_large', 'The file is larger than WeChat takes', { retryable: false });
}
