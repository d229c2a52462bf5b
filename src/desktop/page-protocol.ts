import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import type { Protocol } from 'electron';
import { isPageUrl, PAGE_SCHEME } from './page-address.js';

/** What a page of ours may do; written out in full, because a header that is missing is a right that is given. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * No opener policy: this page has no opener, and neither it nor another can open any (`guardPages`), while asking for one makes
 * Chromium start a second process for the page, after it has started the first.
 */
const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

/** Kinds of files that the built page consists of; another one is not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Answers what is no file of the page (files of the chat, the diagnostics bundle); undefined when it is none of these either. */
export type Endpoints = (request: Request, path: string) => Promise<Response | undefined>;

/** Has to be said before the app is ready: the scheme is an origin of its own, like https. */
export function declareScheme(protocol: Pick<Protocol, 'registerSchemesAsPrivileged'>): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: PAGE_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true } },
  ]);
}

/** Serves the built page from its folder, and nothing else of the disk. */
export function servePage(protocol: Pick<Protocol, 'handle'>, root: string, endpoints: Endpoints): void {
  const files = new Map<string, Buffer>();
  protocol.handle(PAGE_SCHEME, async (request) => {
    if (!isPageUrl(request.url)) return refusal(404);
    const path = pathOf(request.url);
    if (path === undefined) return refusal(400);
    const answer = await endpoints(request, path);
    if (answer !== undefined) return withHeaders(answer);
    return request.method === 'GET' ? pageFile(root, path, files) : refusal(405);
  });
}

/** The path without its leading slash; undefined when it is not written as a path can be. */
function pathOf(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname).slice(1);
  } catch {
    return undefined;
  }
}

/** @param read the files that were read before: few, small, and the same as long as this build runs */
async function pageFile(root: string, path: string, read: Map<string, Buffer>): Promise<Response> {
  const file = normalize(join(root, path === '' ? 'index.html' : path));
  const type = TYPES[extname(file)];
  if (!file.startsWith(`${root}${sep}`) || path.includes('\0') || type === undefined) return refusal(404);
  try {
    const content = read.get(file) ?? (await readFile(file));
    read.set(file, content);
    const headers = { ...HEADERS, 'Content-Type': type };
    return new Response(content, {
      headers: type === TYPES['.html'] ? { ...headers, ...startsEarly(content) } : headers,
    });
  } catch {
    return refusal(404);
  }
}

/** The scripts of a page, named before it: they are on their way while Chromium still makes the place that the page runs in. */
function startsEarly(page: Buffer): { Link?: string } {
  const scripts = [...page.toString().matchAll(/<script type="module"[^>]* src="([^"]+)"/g)];
  return scripts.length === 0
    ? {}
    : { Link: scripts.map(([, src]) => `<${src}>; rel=modulepreload; crossorigin`).join(', ') };
}

function refusal(status: number): Response {
  return new Response(null, { status, headers: HEADERS });
}

function withHeaders(answer: Response): Response {
  for (const [name, value] of Object.entries(HEADERS)) {
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  }
  return answer;
}
