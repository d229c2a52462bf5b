import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

/**
 * The compiled check of a schema that many values go through. It is compiled for the first of them: what is never spoken costs
 * a start nothing. What is checked now and then goes through `Value.Check`, which is slower for each value but compiles nothing.
 */
export function lazyValidator<T extends TSchema>(schema: T): () => ReturnType<typeof Compile<T>> {
  let compiled: ReturnType<typeof Compile<T>> | undefined;
  return () => (compiled ??= Compile(schema));
}
