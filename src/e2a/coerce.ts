import { E2AError } from './errors.js';

/**
 * How the Python implementation bends JSON values into the types it wants. The wire depends on it (`is_stream: "false"`
 * is true, `sequence: "3"` is 3), so these few rules live here once instead of being spread over the readers.
 */

/** A JSON object as it came off the wire. */
export type JsonObject = Record<string, unknown>;

/** Whether a value is a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field's value; `fallback` only when the key is absent, for null is an answer of its own. */
export function given(data: JsonObject, key: string, fallback: unknown = null): unknown {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  return value === undefined ? fallback : value;
}

/**
 * What a reader got to read: the object itself, an empty one for null.
 * @throws {E2AError} `invalid_value` for a list, a text, a number.
 */
export function wireObject(value: unknown, what: string): JsonObject {
  if (value === null || value === undefined) return {};
  if (isJsonObject(value)) return value;
  throw new E2AError('invalid_value', `${what} must be an object`);
}

/** An object with what it lacks taken from another; nothing it has is overwritten, not even a null. */
export function withMissing(base: JsonObject, extra: JsonObject): JsonObject {
  return { ...base, ...Object.fromEntries(Object.entries(extra).filter(([key]) => !Object.hasOwn(base, key))) };
}

/** An object without one of its keys. */
export function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

/** The fields of an object that are not null. */
export function unlessNull(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/**
 * A field's value, null among them.
 * @throws {E2AError} `missing_field` when the key is absent.
 */
export function requiredField(data: JsonObject, key: string, what: string): unknown {
  const value = given(data, key, ABSENT);
  if (value === ABSENT) throw new E2AError('missing_field', `${what} needs ${key}`);
  return value;
}

const ABSENT = Symbol('absent');

/** Python truth: null, false, 0, "" and empty containers are false, every other value is true. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return typeof value === 'number' ? value !== 0 : Boolean(value);
}

/**
 * A shallow copy of an object; empty for null and the other false values.
 * @throws {E2AError} `invalid_value` when the value is neither.
 */
export function objectOrEmpty(value: unknown, field: string): JsonObject {
  if (!isTruthy(value)) return {};
  if (isJsonObject(value)) return { ...value };
  throw new E2AError('invalid_value', `${field} must be an object`);
}

/**
 * A list copied; empty for null and the other false values; an object gives its keys.
 * @throws {E2AError} `invalid_value` for numbers and true.
 */
export function listOrEmpty(value: unknown, field: string): unknown[] {
  if (!isTruthy(value)) return [];
  if (Array.isArray(value)) return [...(value as unknown[])];
  if (typeof value === 'string') return [value];
  if (isJsonObject(value)) return Object.keys(value);
  throw new E2AError('invalid_value', `${field} must be a list`);
}

/**
 * A whole number: fractions are cut off, digits in text are read, and what has no number is 0.
 * @throws {E2AError} `invalid_value` for a number too large to have one.
 */
export function wholeNumber(value: unknown, field: string): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new E2AError('invalid_value', `${field} is out of range`);
    // Adding 0 turns the -0 that cutting off -0.5 leaves into 0, which is how it goes out as JSON.
    return Math.trunc(value) + 0;
  }
  // Digits may be grouped by single underscores and framed by blanks.
  if (typeof value === 'string' && /^\s*[+-]?\d+(_\d+)*\s*$/.test(value)) return Number(value.replaceAll('_', '')) + 0;
  return 0;
}

/** Values nested deeper than this have no text: whoever sent them means no good, and the stack is finite. */
const MAX_TEXT_DEPTH = 200;

/**
 * A value as Python's `str()` writes it, which is what stands in the implementation's own messages and fields.
 * @throws {E2AError} `invalid_value` for what is no JSON value, or nests deeper than 200.
 */
export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : literal(value);
}

function literal(value: unknown, depth = 0): string {
  if (depth > MAX_TEXT_DEPTH) throw new E2AError('invalid_value', 'a value nests too deeply');
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, depth + 1)).join(', ')}]`;
  if (isJsonObject(value)) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${quoted(key)}: ${literal(item, depth + 1)}`)
      .join(', ')}}`;
  }
  throw new E2AError('invalid_value', 'not a JSON value');
}

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escapes: Record<string, string> = {
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\\': '\\\\',
    [quote]: `\\${quote}`,
  };
  return `${quote}${text.replace(/[\n\r\t\\'"]/g, (char) => escapes[char] ?? char)}${quote}`;
}

/** Numbers differ from JavaScript's only in their exponent: it starts below 1e-4 and has two digits at least. */
function numberText(value: number): string {
  const text = value !== 0 && Math.abs(value) < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
