import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../base/clock.js';
import { deadlineSignal } from '../base/deadline.js';
import { describeError } from '../base/errors.js';
import type { Logger } from '../base/logger.js';
import type { ServedAccount } from '../connector/agent-server-port.js';
import type { JsonObject } from '../e2a/index.js';
import { FileStoreError, type FileSource, type FileStore } from '../files/file-store.js';
import { FILES_PORT, answerChannelOf, type AgentServerOptions } from './agent-server.js';
import { textOf } from './pieces.js';
import { plainName } from './words.js';

/** Files taken of one answer, or of one push beside it, at most. */
export const MAX_FILES = 16;
/** How long one file may take to be fetched, milliseconds. */
const FETCH_DEADLINE_MS = 60_000;
/** Where a stock server gives out files by token. */
const DOWNLOAD_PATH = '/file-api/download';

/** A file of an answer: stored and ready to be sent, or only its name. */
export type AnswerFile = { readonly name: string; readonly fileRef: string | undefined };

export interface AnswerFilesDeps {
  readonly files: Pick<FileStore, 'put'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: Pick<AgentServerOptions, 'url' | 'filesRoot' | 'filesUrl'>;
}

/**
 * Files an agent sends: read by path below the one folder that is allowed, or fetched with their token from the server that
 * is configured. No address that a server names is ever called.
 */
export class AnswerFiles {
  readonly #deps: AnswerFilesDeps;
  readonly #base: URL;

  constructor(deps: AnswerFilesDeps) {
    this.#deps = deps;
    this.#base = new URL(deps.options.filesUrl ?? besides(deps.options.url));
  }

  /**
   * Never rejects: a file that can't be had is one without a ref.
   * @param most how many are taken; the others are left
   */
  take(account: ServedAccount, items: readonly JsonObject[], most = MAX_FILES): Promise<AnswerFile[]> {
    const left = items.length - most;
    if (left > 0)
      this.#deps.log.warn({ accountId: account.accountId, left }, 'an answer has more files than are taken');
    return Promise.all(items.slice(0, most).map((item) => this.#takeOne(account, item)));
  }

  async #takeOne(account: ServedAccount, item: JsonObject): Promise<AnswerFile> {
    const path = textOf(item['path']);
    const name = plainName(textOf(item['name']) || (path.split(/[\\/]/).at(-1) ?? ''));
    const mimeType = textOf(item['mime_type']);
    const { accountId, cardId } = account;
    const source: FileSource = {
      cardId,
      channelId: answerChannelOf(accountId),
      accountId,
      filename: name,
      ...(mimeType === '' ? {} : { mimeType }),
    };
    const { log } = this.#deps;
    try {
      const fileRef =
        (await this.#byPath(source, path)) ?? (await this.#byToken(source, textOf(item['download_token'])));
      if (fileRef === undefined) log.warn({ accountId }, 'a file of an answer may not be read, and has no token');
      return { name, fileRef };
    } catch (error) {
      const code = error instanceof FileStoreError ? error.code : 'unreadable';
      log.warn({ accountId, code }, 'a file of an answer could not be taken');
      log.debug({ accountId, error: describeError(error) }, 'a file of an answer could not be taken');
      return { name, fileRef: undefined };
    }
  }

  /** Undefined when the path is not one that may be read. */
  async #byPath(source: FileSource, path: string): Promise<string | undefined> {
    const root = this.#deps.options.filesRoot;
    if (root === null || path === '') return undefined;
    const file = await openInside(root, path);
    if (!file) return undefined;
    try {
      const stored = await this.#deps.files.put(source, file.createReadStream({ autoClose: false }));
      return stored.fileRef;
    } finally {
      await file.close();
    }
  }

  async #byToken(source: FileSource, token: string): Promise<string | undefined> {
    if (token === '') return undefined;
    const url = new URL(this.#base);
    url.pathname = `${url.pathname.replace(/\/$/, '')}${DOWNLOAD_PATH}`;
    url.searchParams.set('token', token);
    const deadline = deadlineSignal(this.#deps.clock, FETCH_DEADLINE_MS);
    try {
      const response = await fetch(url, { redirect: 'error', signal: deadline.signal });
      if (!response.ok || !response.body) {
        await response.body?.cancel();
        throw new Error(`the file server answered ${String(response.status)}`);
      }
      const content = Readable.from(inBuffers(response.body as AsyncIterable<Uint8Array>));
      return (await this.#deps.files.put(source, content, deadline.signal)).fileRef;
    } finally {
      deadline.done();
    }
  }
}

/**
 * Opens a regular file whose real place, after every link on the way, is below `root`; undefined for anything else. What was
 * checked is what is read: the path is looked at again once the file is open.
 */
export async function openInside(root: string, path: string): Promise<Awaited<ReturnType<typeof open>> | undefined> {
  let real: string;
  let realRoot: string;
  try {
    realRoot = await realpath(root);
    real = await realpath(resolve(realRoot, path));
  } catch {
    return undefined;
  }
  if (!isBelow(realRoot, real)) return undefined;
  // Where a system lacks a flag it counts as none. Not blocking, or a pipe that nobody writes to would hold the answer for ever.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const [opened, named, again] = await Promise.all([file.stat(), lstat(real), realpath(real)]);
    if (opened.isFile() && again === real && opened.ino === named.ino && opened.dev === named.dev) return file;
  } catch {
    // It was moved away while we looked: not to be read.
  }
  await file.close();
  return undefined;
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

async function* inBuffers(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
}

/** The web server that stands beside a stock AgentServer. */
function besides(url: string): string {
  const { protocol, hostname } = new URL(url);
  return `${protocol === 'wss:' ? 'https' : 'http'}://${hostname}:${String(FILES_PORT)}`;
}
