import type { Update } from 'grammy/types';
import { TransportError } from '../../base/errors.js';

/**
 * Where the next poll begins: behind the last update, also when that is lower than before. After a week of silence Telegram
 * starts its numbers anew; what was seen already is recognised by message id.
 * @throws TransportError when the server sends again what was confirmed: going on would be a busy loop
 */
export function nextOffset(updates: readonly Update[], offset: number | undefined): number | undefined {
  if (!isBatch(updates)) {
    throw new TransportError('bad_answer', 'The server did not answer as a Bot API', { effect: 'none' });
  }
  const last = updates.at(-1)?.update_id;
  if (last !== undefined && last + 1 === offset) {
    throw new TransportError('offset_ignored', 'The server repeats what was confirmed', { effect: 'none' });
  }
  return last === undefined ? undefined : last + 1;
}

function isBatch(value: unknown): boolean {
  const hasId = (update: unknown): boolean =>
    typeof update === 'object' && update !== null && 'update_id' in update && Number.isSafeInteger(update.update_id);
  return Array.isArray(value) && value.every(hasId);
}
