import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import type { Mount, Route } from '../http/route.js';
import type { ServerLimits } from '../server-options.js';
import { fileRoutes } from './file-routes.js';
import { OneTimeTokens } from './one-time-tokens.js';
import { sessionRoutes } from './session-routes.js';
import { UiBridge } from './ui-bridge.js';
import { pageRoutes } from './ui-pages.js';
import { UI_PREFIX } from './ui-path.js';
import type { UiPort } from './ui-port.js';
import { UiSessions } from './ui-sessions.js';

/**
 * Sent with everything below {@link UI_PREFIX}: the page runs its own scripts and styles and nothing else, nobody frames it,
 * shares a window with it or learns where a link led from.
 */
const UI_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
};

export interface UiParts {
  readonly port: UiPort;
  /** Where the built window lies. */
  readonly folder: string;
  /** `files.maxUploadBytes`. */
  readonly maxUploadBytes: number;
  readonly limits: Pick<ServerLimits, 'lingerMs' | 'closeMs'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Ui {
  /** To be served beside the connectors. */
  readonly mount: Mount;
  /** A token that opens the window in one browser, once and soon: the path and fragment of its link. A secret. */
  newLink(): string;
}

/**
 * The window in a browser: its page, the sessions of browsers that came by a one-time link, the bridge, and the files of the
 * local chat.
 */
export function createUi(parts: UiParts): Ui {
  const { port, clock, limits } = parts;
  const log = parts.log.child({ part: 'ui' });
  const tokens = new OneTimeTokens(clock);
  const sessions = new UiSessions(clock);
  const bridge = new UiBridge({ port, sessions, closeMs: limits.closeMs, clock, log });
  const routes = [
    ...pageRoutes(parts.folder),
    ...sessionRoutes(tokens, sessions, clock),
    ...fileRoutes({ port, sessions, maxUploadBytes: parts.maxUploadBytes, lingerMs: limits.lingerMs, clock, log }),
    bridge.route,
  ];
  return {
    mount: {
      prefix: UI_PREFIX,
      ownOrigin: true,
      routes: routes.map(withHeaders),
      upgrades: [bridge.upgrade],
      async close() {
        tokens.clear();
        await bridge.close();
        sessions.endAll();
      },
    },
    newLink: () => `${UI_PREFIX}/#token=${tokens.issue()}`,
  };
}

function withHeaders(route: Route): Route {
  return {
    ...route,
    handle(ctx, params) {
      ctx.set(UI_HEADERS);
      return route.handle(ctx, params);
    },
  };
}
