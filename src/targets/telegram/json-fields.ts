import type { Json } from '../target.js';

/** The fields of a stored JSON object; none for any other value. */
export function fieldsOf(json: Json): Readonly<Record<string, Json | undefined>> {
  return isObject(json) ? json : {};
}

function isObject(json: Json): json is Readonly<Record<string, Json>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
