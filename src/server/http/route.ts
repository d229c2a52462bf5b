import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Context } from 'koa';
import type { ApiKeyGuard } from './api-key-guard.js';

/**
 * Who may call: `public` anybody this machine's guards let in, `key` only with the system API key, `own` the route's handler
 * checks by itself (a capability in the path, a session of the window).
 */
export type Access = 'public' | 'key' | 'own';

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Path below the mount's prefix; `:name` takes one segment, `*name` the rest. A GET answers HEAD too. */
  readonly path: string;
  readonly access: Access;
  /** Answers through the context, or throws HttpRefusal. */
  handle(ctx: Context, params: Readonly<Record<string, string>>): void | Promise<void>;
}

/** A path that becomes a WebSocket. Guards and, for `key`, the API key are checked before {@link accept} is called. */
export interface UpgradeRoute {
  readonly path: string;
  readonly access: Access;
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void;
}

/** Ends an upgrade that was not accepted with a plain HTTP answer. */
export type RefuseUpgrade = (refusal: { status: number; code: string; message?: string }) => void;

/**
 * A part of the server under one path prefix: a connector, or anything a later room adds. The server composes mounts
 * and knows nothing else about them.
 */
export interface Mount {
  /** `/telegram`, or empty for the root. */
  readonly prefix: string;
  /** Pages served from this server's own origin may call it (the window in a browser); agents' paths never allow it. */
  readonly ownOrigin: boolean;
  readonly routes: readonly Route[];
  readonly upgrades: readonly UpgradeRoute[];
  /** Whom it is there for; to anybody else its paths do not exist. Left out, it is there for everybody. */
  readonly admits?: (request: IncomingMessage) => boolean;
  /** Checks the key in place of the server's own guard, so that what is tried here counts nowhere else. */
  readonly keyGuard?: ApiKeyGuard;
  /** Ends the mount's sockets; resolves within the server's closing deadline. */
  close?(): Promise<void>;
}
