import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { Context } from 'koa';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { BUNDLE_PATH, FILES_PATH, MAX_PARAMETER_LENGTH } from '../../bridge/index.js';
import { FileStoreError } from '../../files/file-store.js';
import { contentDisposition } from '../../files/headers.js';
import { LocalChatError, type LocalChat } from '../../targets/local/chat.js';
import { answer } from '../http/answer.js';
import { HttpRefusal, JSON_TYPE } from '../http/refusal.js';
import type { Route } from '../http/route.js';
import { fileRefusal, fileTooLarge } from '../transfer-plane/file-refusal.js';
import { readAway } from '../transfer-plane/read-away.js';
import { fileNotFound, sendFile } from '../transfer-plane/send-file.js';
import { requireOwnPage, requireSession } from './session-routes.js';
import type { UiPort } from './ui-port.js';
import type { UiSessions } from './ui-sessions.js';

/** Each holds a file open; a person drops a handful at once, and the browser sends the next when one is done. */
const MAX_CONCURRENT_UPLOADS = 4;

export interface FileRouteParts {
  readonly port: UiPort;
  readonly sessions: UiSessions;
  /** `files.maxUploadBytes`: a sender that says it has more is refused before it sends. */
  readonly maxUploadBytes: number;
  /** How long the rest of a refused upload is read away, milliseconds. */
  readonly lingerMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Files of the local chat, both ways, and the diagnostics bundle: what is too large for the bridge's messages. */
export function fileRoutes(parts: FileRouteParts): Route[] {
  const { port, sessions, clock, lingerMs, log } = parts;
  const uploads = { running: 0 };
  return [
    {
      method: 'POST',
      path: `/${FILES_PATH}`,
      access: 'own',
      async handle(ctx) {
        try {
          requireOwnPage(ctx.req);
          requireSession(ctx.req, sessions);
          answer(ctx, JSON_TYPE, JSON.stringify({ token: await receive(ctx, parts, uploads) }));
        } catch (error) {
          readAway(ctx.req, clock, lingerMs);
          throw refusalOf(error);
        }
      },
    },
    {
      method: 'GET',
      path: `/${FILES_PATH}/:ref`,
      access: 'own',
      async handle(ctx, params) {
        requireSession(ctx.req, sessions);
        const file = findFile(chatOf(port), parameter(ctx, 'account'), params['ref'] ?? '');
        if (file === undefined) throw fileNotFound();
        await sendFile(ctx, file, log);
      },
    },
    {
      method: 'GET',
      path: `/${BUNDLE_PATH}`,
      access: 'own',
      async handle(ctx) {
        requireSession(ctx.req, sessions);
        const { filename, mimeType, content } = await port.bundle();
        ctx.set('Content-Disposition', contentDisposition(filename));
        answer(ctx, mimeType, content);
      },
    },
  ];
}

async function receive(ctx: Context, parts: FileRouteParts, uploads: { running: number }): Promise<string> {
  const chat = chatOf(parts.port);
  const accountId = parameter(ctx, 'account');
  const filename = parameter(ctx, 'name');
  if (Number(ctx.req.headers['content-length'] ?? 0) > parts.maxUploadBytes) throw fileTooLarge();
  if (uploads.running >= MAX_CONCURRENT_UPLOADS) {
    throw new HttpRefusal({ status: 503, code: 'busy', headers: { 'Retry-After': '1' } });
  }
  uploads.running += 1;
  const content = bodyOf(ctx.req, ctx.res);
  try {
    const mimeType = ctx.req.headers['content-type'];
    return await chat.upload(accountId, { filename, ...(mimeType === undefined ? {} : { mimeType }) }, content);
  } finally {
    content.destroy();
    uploads.running -= 1;
  }
}

/** The body as a stream of its own: whoever destroys it must not cut the connection that the answer goes back on. */
function bodyOf(request: IncomingMessage, response: ServerResponse): PassThrough {
  if (request.headers.expect !== undefined) response.writeContinue();
  const content = new PassThrough();
  // It may fail before anybody reads it; who does read it sees the failure all the same.
  content.on('error', () => undefined);
  content.once('close', () => request.unpipe(content));
  request.once('close', () => {
    if (!request.complete) content.destroy(new FileStoreError('aborted', 'the sender went away'));
  });
  return request.pipe(content);
}

function findFile(chat: Pick<LocalChat, 'file'>, accountId: string, fileRef: string) {
  try {
    return chat.file(accountId, fileRef);
  } catch (error) {
    throw refusalOf(error);
  }
}

function chatOf(port: UiPort): Pick<LocalChat, 'upload' | 'file'> {
  if (port.chat === undefined) throw new HttpRefusal({ status: 404, code: 'local_disabled' });
  return port.chat;
}

function parameter(ctx: Context, name: string): string {
  const value = ctx.query[name];
  if (typeof value === 'string' && value !== '' && value.length <= MAX_PARAMETER_LENGTH) return value;
  throw new HttpRefusal({ status: 400, code: 'invalid_params', message: `the query needs one ${name}` });
}

function refusalOf(error: unknown): unknown {
  if (error instanceof LocalChatError)
    return new HttpRefusal({ status: 404, code: error.code, message: error.message });
  return error instanceof FileStoreError ? fileRefusal(error) : error;
}
