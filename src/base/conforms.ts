import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Value from 'typebox/value';

/**
 * Values that are checked without compiling their schema. What is rarely spoken costs a start nothing, and compiling takes about
 * as long as checking this many without.
 */
const COMPILED_AFTER = 32;

interface Known {
  checked: number;
  compiled: ((value: unknown) => boolean) | undefined;
}

const schemas = new WeakMap<TSchema, Known>();

/** Whether a value has a schema's shape. A schema that many values go through is compiled. */
export function conforms<T extends TSchema>(schema: T, value: unknown): value is Static<T> {
  let known = schemas.get(schema);
  if (!known) schemas.set(schema, (known = { checked: 0, compiled: undefined }));
  if (known.compiled) return known.compiled(value);
  known.checked += 1;
  if (known.checked > COMPILED_AFTER) {
    const compiled = Compile(schema);
    known.compiled = (each) => compiled.Check(each);
  }
  return Value.Check(schema, value);
}

/** Where a value first breaks its schema and which rule: the place below `name`, never the value, which may hold a secret. */
export function firstProblem(schema: TSchema, value: unknown, name: string): string {
  const first = Value.Errors(schema, value)[0];
  // A key that may not be there has the schema `false`, of which the library says no more than that.
  const words = first?.keyword === 'boolean' ? 'is not known' : (first?.message ?? 'is not valid');
  return `${name}${first?.instancePath ?? ''} ${words}`;
}
