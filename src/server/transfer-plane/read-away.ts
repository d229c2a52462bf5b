import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.js';

/**
 * Reads the rest of a refused upload for a while: closing at once would reset the connection, and the sender would see
 * that instead of the answer.
 * @param lingerMs how long, milliseconds
 */
export function readAway(request: IncomingMessage, clock: Clock, lingerMs: number): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  const timer = clock.after(lingerMs, () => request.destroy());
  request.once('close', () => timer.cancel());
  request.once('end', () => timer.cancel());
}
