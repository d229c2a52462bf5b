import type { IncomingMessage, ServerResponse } from 'node:http';
import { wallTime, type Clock } from '../../base/clock.js';
import type { Connector } from '../../connector/connector.js';
import { FileStoreError, type FileStore, type StoredFile } from '../../files/file-store.js';
import { ErrorCode } from '../../protocol/index.js';
import { answer } from '../http/answer.js';
import { HttpRefusal, JSON_TYPE, type Refusal } from '../http/refusal.js';
import type { Route } from '../http/route.js';
import type { ServerLimits } from '../server-options.js';
import { channelOf } from './channel-header.js';
import { fileRefusal, fileTooLarge } from './file-refusal.js';
import { readAway } from './read-away.js';
import { UploadFormError, readUploadForm } from './upload-form.js';

export interface UploadParts {
  readonly connector: Connector;
  readonly files: FileStore;
  readonly maxUploadBytes: number;
  readonly limits: ServerLimits;
  readonly clock: Clock;
  /** Shared by all connectors' uploads. */
  readonly slots: UploadSlots;
}

/** How many uploads run, over all connectors. */
export interface UploadSlots {
  used: number;
}

/** What a form adds around its file: part headers and small fields. */
const FORM_OVERHEAD_BYTES = 64 * 1024;

/** `POST /files/uploads` (section 5.1): one file for a channel, streamed to disk. */
export function uploadRoute(parts: UploadParts): Route {
  return {
    method: 'POST',
    path: '/files/uploads',
    access: 'key',
    async handle(ctx) {
      try {
        const stored = await receive(ctx.req, ctx.res, parts);
        answer(ctx, JSON_TYPE, JSON.stringify(answerOf(stored, parts.clock)));
      } catch (error) {
        readAway(ctx.req, parts.clock, parts.limits.lingerMs);
        throw refusalOf(error);
      }
    },
  };
}

async function receive(request: IncomingMessage, response: ServerResponse, parts: UploadParts): Promise<StoredFile> {
  const { connector, files, maxUploadBytes, limits, slots } = parts;
  const channelId = channelOf(request);
  if (channelId === undefined) {
    throw refuse(400, ErrorCode.connectorChannelIdRequired, 'X-XAgent-Connector-Channel-ID is required');
  }
  requireSignedIn(channelId, connector);
  if (!request.headers['content-type']?.toLowerCase().startsWith('multipart/form-data')) {
    throw refuse(400, 'bad_multipart', 'the body must be multipart/form-data');
  }
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxUploadBytes + FORM_OVERHEAD_BYTES) throw fileTooLarge();
  if (slots.used >= limits.maxConcurrentUploads) {
    throw new HttpRefusal({
      status: 503,
      code: 'busy',
      message: 'too many uploads at once',
      headers: { 'Retry-After': '1' },
    });
  }

  slots.used += 1;
  try {
    // Only now is a sender that asked first told to go on.
    if (request.headers.expect !== undefined) response.writeContinue();
    const file = await readUploadForm(request, maxUploadBytes);
    const source = {
      cardId: connector.card.connector_card_id,
      channelId,
      mimeType: file.mimeType,
      ...(file.filename === undefined ? {} : { filename: file.filename }),
    };
    try {
      const stored = await files.put(source, file.content);
      await keepForChannel(stored, channelId, parts);
      return stored;
    } catch (error) {
      // What broke the form says more than what the store made of its end.
      throw file.content.errored instanceof UploadFormError ? file.content.errored : error;
    } finally {
      file.content.destroy();
    }
  } finally {
    slots.used -= 1;
  }
}

/** What the file will be bound to. It must be signed in, but need not be open: a reconnect may be under way. */
function requireSignedIn(channelId: string, connector: Connector): void {
  const target = connector.signedInOn(channelId);
  if (target === 'unknown') throw refuse(404, ErrorCode.connectionNotFound, 'the channel is not known');
  if (target === 'unauthenticated') {
    throw refuse(409, ErrorCode.connectionNotAuthenticated, 'the channel is not signed in');
  }
}

/** A file takes its time, and a channel that ended meanwhile has taken its files with it (section 8.2): this one was not among them yet. */
async function keepForChannel(stored: StoredFile, channelId: string, { connector, files }: UploadParts): Promise<void> {
  try {
    requireSignedIn(channelId, connector);
  } catch (error) {
    await files.deleteFor({ fileRef: stored.fileRef });
    throw error;
  }
}

function answerOf(stored: StoredFile, clock: Clock): Record<string, string | number> {
  return {
    file_ref: stored.fileRef,
    file_type: stored.fileType,
    filename: stored.filename,
    byte_size: stored.byteSize,
    expires_at: wallTime(clock, stored.expiresAt),
  };
}

function refusalOf(error: unknown): unknown {
  if (error instanceof UploadFormError) {
    return error.code === 'file_missing'
      ? refuse(400, error.code, 'the form has no file part named "file"')
      : refuse(400, error.code, 'the form could not be read');
  }
  if (!(error instanceof FileStoreError)) return error;
  return error.code === 'aborted' ? refuse(400, 'bad_multipart', 'the upload was not complete') : fileRefusal(error);
}

function refuse(status: number, code: Refusal['code'], message: string): HttpRefusal {
  return new HttpRefusal({ status, code, message });
}
