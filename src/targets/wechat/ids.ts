import { textOf } from '../json-fields.js';

/** An id as text, whether it came quoted or bare; 0 is the network's way of saying none. */
export function idOf(value: unknown): string | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : textOf(value);
  return text === '0' ? undefined : text;
}
