import Value from 'typebox/value';
import { DEFAULT_PREFERENCES, Preferences } from '../bridge/index.js';

/** Kept preferences, whatever another version or a person's editor left of them: a key that is not what it must be has its default. */
export function readPreferences(kept: unknown): Preferences {
  const given: Record<string, unknown> = typeof kept === 'object' && kept !== null ? { ...kept } : {};
  const known = Object.keys(DEFAULT_PREFERENCES).filter((key) => Object.hasOwn(given, key));
  let read: Preferences = DEFAULT_PREFERENCES;
  for (const key of known) {
    const next: unknown = { ...read, [key]: given[key] };
    if (Value.Check(Preferences, next)) read = next;
  }
  return read;
}
