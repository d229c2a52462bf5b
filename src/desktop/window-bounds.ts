import type { Rectangle } from 'electron';
import { LEAST_SIZE } from './window-options.js';

/** Points of a window that must lie on a screen, so that it can be seen and taken hold of. */
const REACHABLE = 64;

/** The place where a window was, when it still can be seen there; undefined when its screen is gone. */
export function visibleBounds(kept: Rectangle | undefined, screens: readonly Rectangle[]): Rectangle | undefined {
  if (kept === undefined) return undefined;
  const width = Math.max(kept.width, LEAST_SIZE.width);
  const height = Math.max(kept.height, LEAST_SIZE.height);
  const reachable = screens.some((screen) => {
    const across = Math.min(kept.x + width, screen.x + screen.width) - Math.max(kept.x, screen.x);
    // The title bar is at the top: it must not lie above or below the screen.
    return across >= REACHABLE && kept.y >= screen.y && kept.y <= screen.y + screen.height - REACHABLE;
  });
  return reachable ? { x: kept.x, y: kept.y, width, height } : undefined;
}
