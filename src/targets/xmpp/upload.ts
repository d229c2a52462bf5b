import { createReadStream } from 'node:fs';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import { isLoopbackHost } from '../../base/loopback.js';
import type { StoredFile } from '../../files/file-store.js';
import { isFinalStatus } from '../final-status.js';
import { httpRequest } from '../http-request.js';
import type { TargetContext } from '../target.js';
import { hasFeature } from './answers.js';
import { StanzaRefused } from './errors.js';
import { NS } from './namespaces.js';
import type { Question } from './requests.js';
import { childOf, childrenOf, el, formValues, textOf, type Stanza } from './stanza.js';

/** A whole upload over a slow line; milliseconds. */
const UPLOAD_DEADLINE_MS = 300_000;
/** What is read of the answer, which says nothing we need; bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The only headers a server may have us send (XEP-0363 section 5). */
const ALLOWED_HEADERS = new Set(['authorization', 'cookie', 'expires']);

type Ask = (question: Question) => Promise<Stanza>;

/** The server's place for files (XEP-0363). */
export interface UploadService {
  readonly jid: string;
  readonly maxBytes: number | undefined;
}

/** Finds the upload service among the server's own and its components. @throws TransportError */
export async function findUploadService(ask: Ask, domain: string): Promise<UploadService | undefined> {
  for (const jid of [domain, ...(await componentsOf(ask, domain))]) {
    const info = await infoOf(ask, jid);
    if (info && hasFeature(info, NS.upload)) return { jid, maxBytes: maxBytesOf(info) };
  }
  return undefined;
}

/**
 * Puts a file where the person can fetch it. Doing it twice leaves two copies there and shows neither, so that it may be repeated.
 * @param plainToLoopback whether the server, being this machine, may name plain http
 * @returns the link
 * @throws TargetRefusal `upload_unsupported`, `file_too_large`, `file_unavailable`, `upload_refused`; TransportError with effect `none`
 */
export async function uploadFile(
  ask: Ask,
  { clock, wayOut }: Pick<TargetContext, 'clock' | 'wayOut'>,
  service: UploadService | undefined,
  file: StoredFile,
  plainToLoopback: boolean,
  signal: AbortSignal,
): Promise<string> {
  if (!service) {
    throw new TargetRefusal('upload_unsupported', 'The XMPP server takes no files', { retryable: false });
  }
  if (service.maxBytes !== undefined && file.byteSize > service.maxBytes) throw tooLarge();
  try {
    const slot = await slotOf(ask, service.jid, file, signal);
    const get = linkOf(slot, 'get', plainToLoopback);
    await put({ clock, wayOut }, linkOf(slot, 'put', plainToLoopback), file, signal);
    return get.url.href;
  } catch (error) {
    throw error instanceof TransportError ? new TransportError(error.code, error.message, { effect: 'none' }) : error;
  }
}

interface Link {
  readonly url: URL;
  readonly headers: Record<string, string>;
}

async function put(
  { clock, wayOut }: Pick<TargetContext, 'clock' | 'wayOut'>,
  { url, headers }: Link,
  file: StoredFile,
  signal: AbortSignal,
): Promise<void> {
  const source = createReadStream(file.path);
  try {
    const { status } = await httpRequest(
      clock,
      {
        method: 'PUT',
        url,
        wayOut,
        headers: { 'Content-Type': file.mimeType, ...headers },
        body: { stream: source, length: file.byteSize },
        timeoutMs: UPLOAD_DEADLINE_MS,
        signal,
      },
      MAX_ANSWER_BYTES,
    );
    if (status !== 200 && status !== 201) throw status === 413 ? tooLarge() : putRefused(status);
  } catch (error) {
    throw source.errored === null ? error : unavailable();
  }
}

async function slotOf(ask: Ask, jid: string, file: StoredFile, signal: AbortSignal): Promise<Stanza> {
  const { filename, byteSize, mimeType } = file;
  const request = el('request', {
    xmlns: NS.upload,
    filename: filename.replace(/[\\/\p{Cc}]/gu, '_') || 'file',
    size: String(byteSize),
    'content-type': mimeType,
  });
  try {
    const answer = await ask({ type: 'get', to: jid, child: request, signal });
    const slot = childOf(answer, 'slot', NS.upload);
    if (slot) return slot;
  } catch (error) {
    if (!(error instanceof StanzaRefused)) throw error;
    if (error.condition === 'not-acceptable') throw tooLarge();
    throw refused(error.condition === 'resource-constraint');
  }
  throw refused(false);
}

function linkOf(slot: Stanza, name: 'put' | 'get', plainToLoopback: boolean): Link {
  const link = childOf(slot, name, NS.upload);
  const headers = childrenOf(link, 'header', NS.upload)
    .map((header) => [header.attrs['name'] ?? '', textOf(header).replace(/[\r\n]/g, '')] as const)
    .filter(([header]) => ALLOWED_HEADERS.has(header.toLowerCase()));
  let url: URL;
  try {
    url = new URL(link?.attrs['url'] ?? '');
  } catch {
    throw refused(false);
  }
  const isPlain = url.protocol === 'http:' && plainToLoopback && isLoopbackHost(url.hostname);
  if (url.protocol !== 'https:' && !isPlain) throw refused(false);
  return { url, headers: Object.fromEntries(headers) };
}

async function componentsOf(ask: Ask, domain: string): Promise<string[]> {
  try {
    const answer = await ask({ type: 'get', to: domain, child: el('query', { xmlns: NS.discoItems }) });
    const items = childrenOf(childOf(answer, 'query', NS.discoItems), 'item', NS.discoItems);
    return items.flatMap(({ attrs }) => (attrs['jid'] === undefined ? [] : [attrs['jid']]));
  } catch (error) {
    if (error instanceof StanzaRefused) return [];
    throw error;
  }
}

async function infoOf(ask: Ask, jid: string): Promise<Stanza | undefined> {
  try {
    return await ask({ type: 'get', to: jid, child: el('query', { xmlns: NS.discoInfo }) });
  } catch (error) {
    // One component that is down does not speak for the others.
    if (error instanceof StanzaRefused || (error instanceof TransportError && error.code === 'no_answer'))
      return undefined;
    throw error;
  }
}

function maxBytesOf(info: Stanza): number | undefined {
  const forms = childrenOf(childOf(info, 'query', NS.discoInfo), 'x', NS.forms).map(formValues);
  const max = Number(forms.find((form) => form['FORM_TYPE'] === NS.upload)?.['max-file-size'] ?? '');
  return Number.isSafeInteger(max) && max > 0 ? max : undefined;
}

function unavailable(): TargetRefusal {
  return new TargetRefusal('file_unavailable', 'The file is no longer on this machine', { retryable: false });
}

function tooLarge(): TargetRefusal {
  return new TargetRefusal('file_too_large', 'The file is larger than the XMPP server takes', { retryable: false });
}

function refused(retryable: boolean): TargetRefusal {
  return new TargetRefusal('upload_refused', 'The XMPP server did not take the file', { retryable });
}

function putRefused(status: number): Error {
  if (status >= 300 && !isFinalStatus(status)) {
    return new TransportError('server_error', 'The file server has a fault at the moment', { effect: 'none' });
  }
  return refused(false);
}
