import type { Readable } from 'node:stream';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import { isFinalStatus } from '../final-status.js';
import { httpOpen } from '../http-request.js';
import { cappedBody } from '../size-cap.js';
import type { RemoteAttachment, TargetContext } from '../target.js';
import { linkOf } from './attachments.js';
import { reachOf, type ReachRules } from './reach.js';

/** Servers at home take a few dozen megabytes, public ones up to this; bytes. */
const MAX_DOWNLOAD_BYTES = 256 * 1024 * 1024;
/** Until the answer's head; the body is bounded by the caller's signal. Milliseconds. */
const HEAD_DEADLINE_MS = 30_000;
const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches the file behind a link of a message. Each host on the way is judged anew.
 * @throws TargetRefusal `link_refused`, `file_gone`, `file_too_large`; TransportError
 */
export async function downloadFile(
  { clock, wayOut }: Pick<TargetContext, 'clock' | 'wayOut'>,
  rules: ReachRules,
  attachment: RemoteAttachment,
  signal: AbortSignal,
): Promise<Readable> {
  let url = linkOf(attachment.locator);
  for (let redirects = 0; url && redirects <= MAX_REDIRECTS; redirects += 1) {
    const reach = reachOf(url, rules);
    if (!reach) throw linkRefused();
    const { lookup } = reach;
    const answer = await httpOpen(clock, {
      method: 'GET',
      url,
      wayOut,
      timeoutMs: HEAD_DEADLINE_MS,
      signal,
      ...(lookup ? { lookup } : {}),
    });
    if (answer.status === 200) return cappedBody(answer, MAX_DOWNLOAD_BYTES, tooLarge);
    answer.body.destroy();
    if (isFinalStatus(answer.status))
      throw new TargetRefusal('file_gone', 'The file is not there', { retryable: false });
    if (!REDIRECTS.has(answer.status)) {
      throw new TransportError('server_error', 'The file server does not give the file at the moment', {
        effect: 'none',
      });
    }
    url = nextUrl(url, answer.headers.location);
  }
  throw linkRefused();
}

function nextUrl(url: URL, location: string | undefined): URL | undefined {
  try {
    return location === undefined ? undefined : new URL(location, url);
  } catch {
    return undefined;
  }
}

function tooLarge(): TargetRefusal {
  return new TargetRefusal('file_too_large', 'The file is larger than is fetched', { retryable: false });
}

function linkRefused(): TargetRefusal {
  return new TargetRefusal('link_refused', 'The link leads to where files are not fetched from', { retryable: false });
}
