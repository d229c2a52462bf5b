import Router, { type RouterContext } from '@koa/router';
import Koa from 'koa';
import { describeError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { answer } from './answer.js';
import type { ApiKeyGuard } from './api-key-guard.js';
import { HttpRefusal, JSON_TYPE, SECURITY_HEADERS, refusalBody, type Refusal } from './refusal.js';
import { checkRequest, pathOf, type GuardPolicy } from './request-guard.js';
import type { Mount, Route } from './route.js';

export interface AppParts {
  readonly mounts: readonly Mount[];
  readonly apiKey: ApiKeyGuard;
  /** Read for every request: it is known only once the port is. */
  readonly policy: () => GuardPolicy;
  readonly log: Logger;
}

/** The HTTP side as one koa application: guards, then the mounts' routes, then JSON for whatever was refused. */
export function createApp({ mounts, apiKey, policy, log }: AppParts): Koa {
  const app = new Koa();
  app.on('error', (error: unknown) => {
    log.warn({ error: describeError(error) }, 'an HTTP answer ended early');
  });

  app.use(async (ctx, next) => {
    ctx.set(SECURITY_HEADERS);
    try {
      const refusal = checkRequest(
        { method: ctx.req.method, target: ctx.req.url, rawHeaders: ctx.req.rawHeaders },
        policy(),
        allowsOwnOrigin(mounts, pathOf(ctx.req.url)),
      );
      if (refusal) {
        log.info({ code: refusal.code }, 'an HTTP request was refused');
        throw new HttpRefusal(refusal);
      }
      await next();
      if (ctx.respond !== false && ctx.status === 404 && !ctx.body)
        throw new HttpRefusal({ status: 404, code: 'not_found' });
    } catch (error) {
      answerRefusal(ctx, toRefusal(error, log));
    }
  });

  const router = new Router({ strict: true, sensitive: true });
  for (const mount of mounts) {
    for (const route of mount.routes) mountRoute(router, mount, route, mount.keyGuard ?? apiKey);
  }
  app.use(router.routes());
  app.use(async (ctx, next) => {
    const allowed = new Set(matchedMethods(ctx));
    if (allowed.size > 0) {
      throw new HttpRefusal({
        status: 405,
        code: 'method_not_allowed',
        headers: { Allow: [...allowed].sort().join(', ') },
      });
    }
    await next();
  });
  return app;
}

/** Whether the path belongs to a mount that pages of this server's own origin may call. */
export function allowsOwnOrigin(mounts: readonly Mount[], path: string): boolean {
  return mounts.some((mount) => mount.ownOrigin && (path === mount.prefix || path.startsWith(`${mount.prefix}/`)));
}

function mountRoute(router: Router, { prefix, admits }: Mount, route: Route, apiKey: ApiKeyGuard): void {
  const handle = async (ctx: RouterContext): Promise<void> => {
    if (admits?.(ctx.req) === false) throw new HttpRefusal({ status: 404, code: 'not_found' });
    if (route.access === 'key') {
      const refusal = apiKey.check(ctx.req.headers.authorization, ctx.req.socket.remoteAddress ?? '');
      if (refusal) throw new HttpRefusal(refusal);
    }
    await route.handle(ctx, ctx.params);
  };
  router.register(`${prefix}${route.path}`, route.method === 'GET' ? ['GET', 'HEAD'] : [route.method], handle);
}

function matchedMethods(ctx: Koa.Context): string[] {
  const matched: unknown = ctx['matched'];
  if (!Array.isArray(matched)) return [];
  return matched.flatMap((layer: { readonly methods: string[] }) => layer.methods);
}

function toRefusal(error: unknown, log: Logger): Refusal {
  if (error instanceof HttpRefusal) return error.refusal;
  log.error({ error: describeError(error) }, 'an HTTP request failed unexpectedly');
  return { status: 500, code: 'internal_error', message: 'the request could not be served' };
}

function answerRefusal(ctx: Koa.Context, refusal: Refusal): void {
  if (ctx.headerSent || !ctx.writable) {
    // Too late for words: cutting the connection is the only way to say that the body is not complete.
    ctx.res.destroy();
    ctx.respond = false;
    return;
  }
  ctx.status = refusal.status;
  ctx.set(refusal.headers ?? {});
  answer(ctx, JSON_TYPE, refusalBody(refusal));
}
