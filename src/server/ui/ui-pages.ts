import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Context } from 'koa';
import { answer } from '../http/answer.js';
import { HttpRefusal } from '../http/refusal.js';
import type { Route } from '../http/route.js';
import { UI_PREFIX } from './ui-path.js';

/** What the build of the window consists of; anything else in its folder is not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};
const PAGE_TYPE = 'text/html; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Names carry a hash of the content, so what was loaded once is never asked for again. */
const IMMUTABLE = 'private, max-age=31536000, immutable';
/** One name, no folder, nothing hidden. */
const ASSET_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/;

const NOT_BUILT =
  'The window is not part of this build: dist/renderer/ is missing. "npm run build" makes it.\n' +
  'The connector host itself runs; agents and the command line are served.\n';

/**
 * The built window: its page and what that loads. Nothing here knows a session: the page is the same for everybody and holds
 * no data.
 * @param folder where the build lies: `index.html`, and beside it `assets/`
 */
export function pageRoutes(folder: string): Route[] {
  return [
    {
      method: 'GET',
      path: '',
      access: 'public',
      handle(ctx) {
        ctx.status = 308;
        ctx.set('Location', `${UI_PREFIX}/`);
        ctx.body = '';
      },
    },
    { method: 'GET', path: '/', access: 'public', handle: (ctx) => sendPage(ctx, folder) },
    {
      method: 'GET',
      path: '/assets/:name',
      access: 'public',
      handle: (ctx, params) => sendAsset(ctx, folder, params['name'] ?? ''),
    },
  ];
}

async function sendPage(ctx: Context, folder: string): Promise<void> {
  const page = await contentOf(join(folder, 'index.html'));
  ctx.status = page === undefined ? 404 : 200;
  answer(ctx, page === undefined ? TEXT_TYPE : PAGE_TYPE, page ?? NOT_BUILT);
}

async function sendAsset(ctx: Context, folder: string, name: string): Promise<void> {
  const type = TYPES[extname(name)];
  const content =
    type !== undefined && ASSET_NAME.test(name) ? await contentOf(join(folder, 'assets', name)) : undefined;
  if (type === undefined || content === undefined) throw new HttpRefusal({ status: 404, code: 'not_found' });
  answer(ctx, type, content);
  ctx.set('Cache-Control', IMMUTABLE);
}

async function contentOf(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined;
  }
}
