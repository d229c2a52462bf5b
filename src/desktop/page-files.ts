import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { BUNDLE_PATH, FILES_PATH, MAX_PARAMETER_LENGTH } from '../bridge/index.js';
import { FileStoreError } from '../files/file-store.js';
import { contentDisposition, safeContentType } from '../files/headers.js';
import { BUNDLE_FILENAME, bundleText } from '../host/bundle-text.js';
import { CommandError } from '../host/command-error.js';
import type { Host } from '../host/index.js';
import { fileRefusal } from '../server/transfer-plane/file-refusal.js';
import { LocalChatError } from '../targets/local/index.js';
import type { BlobBodies } from './blob-bodies.js';
import type { Endpoints } from './page-protocol.js';

/** Files of the local chat, both ways, and the diagnostics bundle: what is too large for the messages of IPC. */
export function pageFiles(host: () => Host | undefined, bodies: Pick<BlobBodies, 'of'>): Endpoints {
  return async (request, path) => {
    const [first, ref, ...more] = path.split('/');
    if (more.length > 0 || (first !== FILES_PATH && first !== BUNDLE_PATH)) return undefined;
    const running = host();
    if (running === undefined) return refusal(503, 'host_not_running');
    try {
      if (first === BUNDLE_PATH)
        return request.method === 'GET' && ref === undefined ? await bundle(running) : undefined;
      if (request.method === 'POST' && ref === undefined) return await receive(running, request, bodies);
      if (request.method === 'GET' && ref !== undefined) return send(running, request, ref);
      return undefined;
    } catch (error) {
      return refusalOf(error);
    }
  };
}

async function receive(host: Host, request: Request, bodies: Pick<BlobBodies, 'of'>): Promise<Response> {
  const account = parameter(request, 'account');
  const filename = parameter(request, 'name');
  if (host.localChat === undefined) return refusal(404, 'local_disabled');
  if (account === undefined || filename === undefined) return refusal(400, 'invalid_params');
  const mimeType = request.headers.get('content-type');
  const source = { filename, ...(mimeType === null ? {} : { mimeType }) };
  return Response.json({ token: await host.localChat.upload(account, source, Readable.from(bodies.of(request))) });
}

function send(host: Host, request: Request, ref: string): Response {
  const account = parameter(request, 'account');
  const file = account === undefined ? undefined : host.localChat?.file(account, ref);
  if (file === undefined) return refusal(404, 'file_ref_not_found');
  const content = Readable.toWeb(createReadStream(file.path)) as unknown as ConstructorParameters<typeof Response>[0];
  return new Response(content, {
    headers: {
      'Content-Type': safeContentType(file.mimeType),
      'Content-Disposition': contentDisposition(file.filename),
      'Content-Length': String(file.byteSize),
      // Opened as a page after all, it gets an origin of its own and no scripts.
      'Content-Security-Policy': 'sandbox',
    },
  });
}

async function bundle(host: Host): Promise<Response> {
  const text = bundleText(await host.execute('bundle', {}));
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': contentDisposition(BUNDLE_FILENAME),
  };
  return new Response(text, { headers });
}

function parameter(request: Request, name: string): string | undefined {
  const value = new URL(request.url).searchParams.get(name);
  return value === null || value === '' || value.length > MAX_PARAMETER_LENGTH ? undefined : value;
}

function refusalOf(error: unknown): Response {
  if (error instanceof FileStoreError) {
    const { status, code } = fileRefusal(error).refusal;
    return refusal(status, code);
  }
  if (error instanceof LocalChatError) return refusal(404, error.code);
  if (error instanceof CommandError) return refusal(503, error.code);
  throw error;
}

function refusal(status: number, code: string): Response {
  return Response.json({ error: code }, { status });
}
