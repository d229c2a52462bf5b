import type { IncomingMessage } from 'node:http';
import Type from 'typebox';
import Value from 'typebox/value';
import type { Clock } from '../../base/clock.js';
import { answer } from '../http/answer.js';
import { FailedAuthLimiter } from '../http/failed-auth-limiter.js';
import { HttpRefusal, JSON_TYPE } from '../http/refusal.js';
import type { Route } from '../http/route.js';
import type { OneTimeTokens } from './one-time-tokens.js';
import { notOwnPage } from './own-page.js';
import { readSmallJson } from './small-json.js';
import { endedCookie, sessionCookie, sessionIdsOf } from './ui-cookie.js';
import type { UiSession, UiSessions } from './ui-sessions.js';

/** A token and its braces, with room to spare. */
const MAX_BODY_BYTES = 1024;
const MS_PER_SECOND = 1000;

const TokenBody = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 512 }) },
  { additionalProperties: false },
);

/** The session of the browser that asks. @throws HttpRefusal 401 when it has none */
export function requireSession(request: IncomingMessage, sessions: UiSessions): UiSession {
  const session = sessions.find(sessionIdsOf(request));
  if (session === undefined) throw noSession();
  return session;
}

/** @throws HttpRefusal 403 */
export function requireOwnPage(request: IncomingMessage): void {
  const refusal = notOwnPage(request);
  if (refusal) throw new HttpRefusal(refusal);
}

/** How a browser gets in and out: a one-time link becomes a session, whose cookie no script can read. */
export function sessionRoutes(tokens: OneTimeTokens, sessions: UiSessions, clock: Clock): Route[] {
  const limiter = new FailedAuthLimiter(clock);
  return [
    {
      method: 'GET',
      path: '/session',
      access: 'public',
      // Answered 200 either way: the page asks before it connects, and a refusal would stand in the browser's console.
      handle(ctx) {
        answer(ctx, JSON_TYPE, JSON.stringify({ session: sessions.find(sessionIdsOf(ctx.req)) !== undefined }));
      },
    },
    {
      method: 'POST',
      path: '/session',
      access: 'own',
      async handle(ctx) {
        requireOwnPage(ctx.req);
        const body = await readSmallJson(ctx.req, MAX_BODY_BYTES);
        if (!Value.Check(TokenBody, body)) throw new HttpRefusal({ status: 400, code: 'invalid_params' });
        if (!tokens.redeem(body.token)) throw wrongToken(limiter.failed(ctx.req.socket.remoteAddress ?? ''));
        // The browser's former cookie is overwritten: nobody could end that session any more.
        sessions.end(sessionIdsOf(ctx.req));
        ctx.set('Set-Cookie', sessionCookie(ctx.req, sessions.open()));
        answer(ctx, JSON_TYPE, JSON.stringify({ session: true }));
      },
    },
    {
      method: 'POST',
      path: '/sign-out',
      access: 'own',
      handle(ctx) {
        requireOwnPage(ctx.req);
        requireSession(ctx.req, sessions);
        sessions.end(sessionIdsOf(ctx.req));
        ctx.set('Set-Cookie', endedCookie(ctx.req));
        answer(ctx, JSON_TYPE, JSON.stringify({ session: false }));
      },
    },
  ];
}

function wrongToken(waitMs: number): HttpRefusal {
  if (waitMs === 0) {
    return new HttpRefusal({ status: 401, code: 'link_expired', message: 'this link was used or is too old' });
  }
  return new HttpRefusal({
    status: 429,
    code: 'too_many_failed_attempts',
    headers: { 'Retry-After': String(Math.ceil(waitMs / MS_PER_SECOND)) },
  });
}

function noSession(): HttpRefusal {
  return new HttpRefusal({ status: 401, code: 'session_needed', message: 'open the window with a fresh link' });
}
