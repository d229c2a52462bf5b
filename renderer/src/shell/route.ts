import { useSyncExternalStore } from 'react';

export const VIEW_NAMES = ['accounts', 'messages', 'chat', 'agent', 'settings'] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** A place in the window; it stands in the address, so that links are links and Back goes back. */
export interface Route {
  readonly view: ViewName;
  /** What comes after the view: `connect`, `wechat`. */
  readonly path: readonly string[];
}

/** The address of a place. */
export function href(view: ViewName, ...path: readonly string[]): string {
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}`;
}

/** The address of a window that was just opened, where a first start begins and is taken up again. */
export const START_HREF = '#/';

/** Whether an address names no place of its own. */
export function isStart(hash: string): boolean {
  return hash === '' || hash === '#' || hash === START_HREF;
}

/** The place an address names; Accounts for any that names none. `#/connect/<network>` is how the tray and links name signing in. */
export function parseRoute(hash: string): Route {
  const [first, ...path] = hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decoded);
  if (first === 'connect') return { view: 'accounts', path: ['connect', ...path] };
  const view = VIEW_NAMES.find((name) => name === first);
  return view === undefined ? { view: 'accounts', path: [] } : { view, path };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function subscribe(fn: () => void): () => void {
  window.addEventListener('hashchange', fn);
  return () => window.removeEventListener('hashchange', fn);
}

/** The address now; read it with {@link parseRoute}. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}

export function navigate(view: ViewName, ...path: readonly string[]): void {
  location.hash = href(view, ...path);
}
