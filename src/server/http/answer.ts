import type { Context } from 'koa';

/** Answers with a body of this media type. The type goes first: koa would look for one in its tables, which take milliseconds to make. */
export function answer(ctx: Context, type: string, body: string | Buffer): void {
  ctx.set('Content-Type', type);
  ctx.body = body;
}
