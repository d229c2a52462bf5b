import type { IncomingMessage } from 'node:http';
import { UI_PREFIX } from './ui-path.js';
import { SESSION_TTL_MS } from './ui-sessions.js';

const MS_PER_SECOND = 1000;
/** Only requests below it carry the cookie. */
const COOKIE_PATH = `${UI_PREFIX}/`;

/** Cookies know no ports: two hosts on one machine would otherwise overwrite each other's. */
function nameFor(request: IncomingMessage): string {
  return `xagent_ui_${String(request.socket.localPort ?? 0)}`;
}

/** Every value the request gives for our cookie. */
export function sessionIdsOf(request: IncomingMessage): string[] {
  const prefix = `${nameFor(request)}=`;
  return (request.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
}

/**
 * No script reads it, no other site's page sends it. Not `Secure`: browsers differ on whether plain loopback counts as secure,
 * and nothing of it leaves the machine.
 */
export function sessionCookie(request: IncomingMessage, id: string): string {
  return cookie(request, id, SESSION_TTL_MS / MS_PER_SECOND);
}

/** Takes the cookie out of the browser. */
export function endedCookie(request: IncomingMessage): string {
  return cookie(request, '', 0);
}

function cookie(request: IncomingMessage, value: string, maxAgeSeconds: number): string {
  return `${nameFor(request)}=${value}; Path=${COOKIE_PATH}; Max-Age=${String(maxAgeSeconds)}; HttpOnly; SameSite=Strict`;
}
